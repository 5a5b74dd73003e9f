/** @jsxImportSource react */
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { getAccount, organizationName, subscribeAccount } from '../sign-in/account.ts';

/** Says for which organisation requests are. With another choice, or another person, the responses in all tabs go. */
export function AccountLine() {
  const account = useSyncExternalStore(subscribeAccount, getAccount);
  const { organization, left } = account;
  const owner = `${left} ${organization}`;
  const before = useRef(owner);
  const tabs = useGraphiQL((state) => state.tabs);
  const responseEditor = useGraphiQL((state) => state.responseEditor);
  const { stop } = useGraphiQLActions();
  useEffect(() => {
    if (before.current === owner) return;
    before.current = owner;
    stop();
    for (const tab of tabs) tab.response = null;
    responseEditor?.setValue('');
  }, [owner, tabs, responseEditor, stop]);
  if (organization === undefined) return ' ';
  return <span className="account-line">For {organizationName(account)}</span>;
}

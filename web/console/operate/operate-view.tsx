import { useHash } from '../layout/use-hash.ts';
import { AccountPage } from './account-page.tsx';
import { AccountSearch } from './account-search.tsx';

/** What an operator does for others: finds accounts and, under the number of one, sees to it. */
export function OperateView() {
  const id = Number(/\/([1-9]\d{0,9})$/.exec(useHash())?.[1]) || undefined;
  return id === undefined ? <AccountSearch /> : <AccountPage key={id} id={id} />;
}

import { useLayoutEffect, useRef } from 'preact/compat';
import { AccountLink } from '../../sign-in/account-choice.tsx';
import { useHost, useLanguage } from '../ui/host.ts';

/** Says that the person does not belong to an organisation, whether it exists or not. */
export function NoOrganization({ name }: { readonly name: string }) {
  const { entitle, arriveAt } = useHost();
  const heading = useRef<HTMLHeadingElement>(null);
  const { text } = useLanguage();
  const title = text('console.no-organization', { organization: name });
  useLayoutEffect(() => entitle(title), [entitle, title]);
  useLayoutEffect(() => {
    if (heading.current) arriveAt(heading.current);
  }, [arriveAt]);
  return (
    <main className="view">
      <h1 className="title" ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <p className="lead">{text('console.no-organization-why', { organization: name })}</p>
      <p>{text('console.no-organization-advice')}</p>
      <AccountLink organization={undefined}>{text('console.own-account')}</AccountLink>
    </main>
  );
}

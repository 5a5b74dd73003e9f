import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/compat';
import type { Language } from '../../messages/language.ts';
import { boundsInWords } from '../keys/limits-in-words.ts';
import { Button } from '../ui/button.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { QueryContent } from '../ui/query-content.tsx';
import type { Account, Entitlement } from './account.tsx';
import { entitlementQuery } from './documents.ts';
import { PlanDialog } from './plan-dialog.tsx';

/** The plan of an account, with a button to change it. */
export function AccountPlan({ account }: { readonly account: Account }) {
  const { request } = useHost();
  const { text } = useLanguage();
  const [open, setOpen] = useState(false);
  const query = useQuery({
    queryKey: ['entitlement', account.id],
    queryFn: ({ signal }) => request(entitlementQuery, { userId: account.id }, { signal }),
  });
  return (
    <section className="card account-plan" aria-labelledby="account-plan">
      <h2 id="account-plan" tabIndex={-1}>
        {text('operate.plan')}
      </h2>
      <QueryContent query={query} what={text('operate.plan-loaded')}>
        {({ entitlement }) => (
          <>
            <PlanFacts entitlement={entitlement} />
            <div className="card-actions">
              <Button look="quiet" onClick={() => setOpen(true)}>
                {text('operate.change-plan')}
              </Button>
            </div>
            {open && (
              <PlanDialog account={account} entitlement={entitlement} onDismiss={() => setOpen(false)} />
            )}
          </>
        )}
      </QueryContent>
    </section>
  );
}

function PlanFacts({ entitlement: { plan, overrides, effective, updatedAt } }: { entitlement: Entitlement }) {
  const language = useLanguage();
  const { text } = language;
  const bounds = boundsInWords(language, effective);
  return (
    <>
      <Facts>
        <Fact name={text('operate.plan-name')}>
          {plan === null ? text('operate.default-plan') : <bdi>{plan}</bdi>}
        </Fact>
        <Fact name={text('operate.plan-limits')}>
          {bounds.length === 0 ? text('operate.no-plan-limits') : bounds.join(', ')}
        </Fact>
        <Fact name={text('operate.plan-permissions')}>
          {permissionsInWords(language, effective.permissions)}
        </Fact>
        {updatedAt !== null && (
          <Fact name={text('operate.plan-changed')}>
            <Moment at={updatedAt} />
          </Fact>
        )}
      </Facts>
      {overrides && (
        <details className="fold">
          <summary>{text('operate.plan-overrides')}</summary>
          <pre dir="ltr">{JSON.stringify(overrides, null, 2)}</pre>
        </details>
      )}
    </>
  );
}

function permissionsInWords({ text }: Language, permissions: readonly string[] | null) {
  if (permissions === null) return text('operate.any-permission');
  return permissions.length === 0 ? text('operate.no-permission') : <code>{permissions.join(', ')}</code>;
}

import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/compat';
import { boundsInWords } from '../keys/limits-in-words.ts';
import { Button } from '../ui/button.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { useHost } from '../ui/host.ts';
import { Moment } from '../ui/moment.tsx';
import { QueryContent } from '../ui/query-content.tsx';
import type { Account, Entitlement } from './account.tsx';
import { entitlementQuery } from './documents.ts';
import { PlanDialog } from './plan-dialog.tsx';

/** The plan of an account, with a button to change it. */
export function AccountPlan({ account }: { readonly account: Account }) {
  const { request } = useHost();
  const [open, setOpen] = useState(false);
  const query = useQuery({
    queryKey: ['entitlement', account.id],
    queryFn: ({ signal }) => request(entitlementQuery, { userId: account.id }, { signal }),
  });
  return (
    <section className="card account-plan" aria-labelledby="account-plan">
      <h2 id="account-plan" tabIndex={-1}>
        Plan
      </h2>
      <QueryContent query={query} what="the plan">
        {({ entitlement }) => (
          <>
            <PlanFacts entitlement={entitlement} />
            <div className="card-actions">
              <Button look="quiet" onClick={() => setOpen(true)}>
                Change plan
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
  const bounds = boundsInWords(effective);
  return (
    <>
      <Facts>
        <Fact name="Plan">{plan === null ? 'Default plan' : <bdi>{plan}</bdi>}</Fact>
        <Fact name="Limits">{bounds.length === 0 ? 'None in the plan' : bounds.join(', ')}</Fact>
        <Fact name="Permissions">{permissionsInWords(effective.permissions)}</Fact>
        {updatedAt !== null && (
          <Fact name="Changed">
            <Moment at={updatedAt} />
          </Fact>
        )}
      </Facts>
      {overrides && (
        <details className="fold">
          <summary>Overrides</summary>
          <pre dir="ltr">{JSON.stringify(overrides, null, 2)}</pre>
        </details>
      )}
    </>
  );
}

function permissionsInWords(permissions: readonly string[] | null) {
  if (permissions === null) return 'Any';
  return permissions.length === 0 ? 'None' : <code>{permissions.join(', ')}</code>;
}

import { useState } from 'preact/compat';
import { invalid } from '../api/problem.ts';
import { Field } from '../ui/field.tsx';
import { useHost } from '../ui/host.ts';
import { type Account, type Entitlement, nameOfAccount } from './account.tsx';
import { setEntitlementMutation } from './documents.ts';
import { ReasonDialog } from './reason-dialog.tsx';

interface PlanDialogProps {
  readonly account: Account;
  readonly entitlement: Entitlement;
  readonly onDismiss: () => void;
}

/** Sets the plan of an account, and its overrides. */
export function PlanDialog({ account, entitlement, onDismiss }: PlanDialogProps) {
  const { request, notify } = useHost();
  // The plan may be fetched again meanwhile. Only what the operator touched counts as a change.
  const [before] = useState(entitlement);
  const name = nameOfAccount(account);
  return (
    <ReasonDialog
      title={`Change the plan of ${name}`}
      submitLabel="Save changes"
      danger={false}
      fallbackFocus="account-plan"
      onDismiss={onDismiss}
      act={async (reason, form) => {
        const changes = readChanges(form, before);
        await request(setEntitlementMutation, { userId: account.id, reason, ...changes });
      }}
      onDone={() => notify(`The plan of ${name} was saved.`)}
      fields={{
        names: ['plan', 'overrides'],
        show: (issueOf) => <PlanFields before={before} issueOf={issueOf} />,
      }}
    >
      The change applies from the next request with a key. The keys themselves do not change.
    </ReasonDialog>
  );
}

type Given = Pick<Entitlement, 'plan' | 'overrides'>;

interface PlanFieldsProps {
  readonly before: Given;
  readonly issueOf: (argument: string) => string | undefined;
}

const PlanFields = ({ before, issueOf }: PlanFieldsProps) => (
  <>
    <Field
      label="Plan"
      hint="A plan from your plans file. Leave empty for the default plan."
      issue={issueOf('plan')}
    >
      {(control) => (
        <input
          {...control}
          name="plan"
          type="text"
          autoComplete="off"
          autoCapitalize="none"
          defaultValue={before.plan ?? ''}
        />
      )}
    </Field>
    <Field
      label="Overrides"
      hint={
        <>
          JSON, as in the plans file: <code>{'{"max_active_keys": 5}'}</code>. A member that is null lifts
          that limit. Leave empty for no overrides.
        </>
      }
      issue={issueOf('overrides')}
    >
      {(control) => (
        <textarea
          {...control}
          name="overrides"
          className="mono"
          rows={4}
          autoComplete="off"
          autoCapitalize="none"
          spellcheck={false}
          dir="ltr"
          defaultValue={before.overrides === null ? '' : JSON.stringify(before.overrides, null, 2)}
        />
      )}
    </Field>
  </>
);

/** What the form changes. */
function readChanges(form: FormData, before: Given): Partial<Given> {
  const plan = `${form.get('plan')}`.trim() || null;
  const overrides = readOverrides(`${form.get('overrides')}`);
  const isSame = JSON.stringify(overrides) === JSON.stringify(before.overrides);
  return { ...(plan !== before.plan && { plan }), ...(!isSame && { overrides }) };
}

function readOverrides(text: string): Given['overrides'] {
  if (text.trim() === '') return null;
  const overrides = parse(text);
  if (typeof overrides === 'object' && overrides !== null && !Array.isArray(overrides)) return overrides;
  throw invalid('overrides', 'Must be a JSON object, such as {"max_active_keys": 5}.');
}

/** @returns undefined if the text is not JSON */
function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

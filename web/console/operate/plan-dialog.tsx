import { useState } from 'preact/compat';
import type { Language } from '../../messages/language.ts';
import { invalid } from '../api/problem.ts';
import { Field } from '../ui/field.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
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
  const language = useLanguage();
  const { text } = language;
  // The plan may be fetched again meanwhile. Only what the operator touched counts as a change.
  const [before] = useState(entitlement);
  const name = nameOfAccount(language, account);
  return (
    <ReasonDialog
      title={text('operate.plan-title', { name })}
      submitLabel={text('operate.save-plan')}
      danger={false}
      fallbackFocus="account-plan"
      onDismiss={onDismiss}
      act={async (reason, form) => {
        const changes = readChanges(language, form, before);
        await request(setEntitlementMutation, { userId: account.id, reason, ...changes });
      }}
      onDone={() => notify(text('operate.plan-saved', { name }))}
      fields={{
        names: ['plan', 'overrides'],
        show: (issueOf) => <PlanFields before={before} issueOf={issueOf} />,
      }}
    >
      {text('operate.plan-effect')}
    </ReasonDialog>
  );
}

type Given = Pick<Entitlement, 'plan' | 'overrides'>;

interface PlanFieldsProps {
  readonly before: Given;
  readonly issueOf: (argument: string) => string | undefined;
}

/** Overrides, as a plans file writes them. */
const example = '{"max_active_keys": 5}';

function PlanFields({ before, issueOf }: PlanFieldsProps) {
  const { text, rich } = useLanguage();
  return (
    <>
      <Field label={text('operate.plan-field')} hint={text('operate.plan-hint')} issue={issueOf('plan')}>
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
        label={text('operate.overrides-field')}
        hint={rich('operate.overrides-hint', { example: <code>{example}</code> })}
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
}

/** What the form changes. */
function readChanges(language: Language, form: FormData, before: Given): Partial<Given> {
  const plan = `${form.get('plan')}`.trim() || null;
  const overrides = readOverrides(language, `${form.get('overrides')}`);
  const isSame = JSON.stringify(overrides) === JSON.stringify(before.overrides);
  return { ...(plan !== before.plan && { plan }), ...(!isSame && { overrides }) };
}

function readOverrides({ text }: Language, typed: string): Given['overrides'] {
  if (typed.trim() === '') return null;
  const overrides = parse(typed);
  if (typeof overrides === 'object' && overrides !== null && !Array.isArray(overrides)) return overrides;
  throw invalid('overrides', text('operate.overrides-wrong', { example }));
}

/** @returns undefined if the text is not JSON */
function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

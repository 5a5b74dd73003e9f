import type { ResultOf } from 'gql.tada';
import { useState } from 'preact/compat';
import { request } from '../api/request.ts';
import { nameOf } from '../keys/api-key.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { FormProblem } from '../ui/form-problem.tsx';
import { useAction } from '../ui/use-action.ts';
import { accountLink } from './account.tsx';
import { findApiKeyMutation } from './documents.ts';

type Found = ResultOf<typeof findApiKeyMutation>['findApiKey'];

/** How long the beginning of a key may be that is shown: no key that is made here is so short. */
const longestPrefix = 32;

/** What is asked for: a whole key, or how one begins. */
const questionOf = (text: string) =>
  text.length > longestPrefix ? { key: text, keyPrefix: null } : { key: null, keyPrefix: text };

/** Finds whose an API key is. What is typed may be a whole one: it stays in its field, and is sent and kept nowhere else. */
export function FoundKeys() {
  const action = useAction();
  const [found, setFound] = useState<Found>();
  return (
    <section className="card find-key">
      <Form
        id="find-key"
        className="toolbar"
        action={action}
        onSubmit={async (form) => {
          const text = `${form.get('key')}`.trim();
          if (text === '') return setFound(undefined);
          setFound((await request(findApiKeyMutation, questionOf(text))).findApiKey);
        }}
      >
        <Field
          label="Whose API key is this?"
          hint="The whole key, or how it begins, up to the point."
          issue={action.problem?.issueOf('key') ?? action.problem?.issueOf('keyPrefix')}
        >
          {(control) => (
            <input {...control} name="key" type="password" autoComplete="off" spellcheck={false} />
          )}
        </Field>
        <Button type="submit" pending={action.pending}>
          Find
        </Button>
      </Form>
      <FormProblem problem={action.problem} shown={['key', 'keyPrefix']} />
      <div role="status">{found && <FoundList found={found} />}</div>
    </section>
  );
}

function FoundList({ found }: { readonly found: Found }) {
  if (found.length === 0) return <p className="hint">It is nobody's: no such key is stored here.</p>;
  return (
    <ul className="found">
      {found.map((key) => (
        <li key={key.keyId}>
          <bdi>{nameOf({ ...key, id: key.keyId })}</bdi>, number {key.keyId}, of{' '}
          <a href={accountLink(key.userId)}>
            <bdi>{key.subject}</bdi>
          </a>{' '}
          <KeyState {...key} />
        </li>
      ))}
    </ul>
  );
}

function KeyState({ isActive, expiresAt, isBlocked }: Found[number]) {
  if (!isActive) return <Badge tone="muted">Deactivated</Badge>;
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return <Badge tone="warn">Expired</Badge>;
  return isBlocked ? <Badge tone="warn">Blocked</Badge> : <Badge tone="good">Active</Badge>;
}

import type { ResultOf } from 'gql.tada';
import { useState } from 'preact/compat';
import { nameOf, stateOf } from '../keys/api-key.ts';
import { KeyBadge } from '../keys/key-badge.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { FormProblem } from '../ui/form-problem.tsx';
import { type Host, useHost } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';
import { accountKeyLink, accountLink } from './account.tsx';
import { findApiKeyMutation } from './documents.ts';

type Found = ResultOf<typeof findApiKeyMutation>['findApiKey'];

/** The keys that were found. */
interface Result {
  readonly found: Found;
  /** What is true of the text after the dot, if only the part before it was found. */
  readonly rest?: string;
}

/** The most characters of a prefix. Every key that Keyward creates is longer. */
const longestPrefix = 32;

/** Finds keys by a text: as a whole key or an exact prefix, otherwise by the part before the dot. */
async function find(request: Host['request'], text: string): Promise<Result> {
  const findBy = async (asked: { readonly key: string | null; readonly keyPrefix: string | null }) =>
    (await request(findApiKeyMutation, asked)).findApiKey;
  const found = await findBy(
    text.length > longestPrefix ? { key: text, keyPrefix: null } : { key: null, keyPrefix: text },
  );
  const [prefix = ''] = text.split('.', 1);
  if (found.length > 0 || prefix === text || prefix === '' || prefix.length > longestPrefix) return { found };
  const rest = text.length > longestPrefix ? 'does not match' : 'was not compared';
  return { found: await findBy({ key: null, keyPrefix: prefix }), rest };
}

/** Finds the owner of an API key. The text may be a whole key, so only the field and the request hold it. */
export function FoundKeys() {
  const { request } = useHost();
  const action = useAction();
  const [result, setResult] = useState<Result>();
  return (
    <section className="card find-key">
      <Form
        id="find-key"
        className="toolbar"
        action={action}
        onSubmit={async (form) => {
          const text = `${form.get('key')}`.trim();
          setResult(text === '' ? undefined : await find(request, text));
        }}
      >
        <Field
          label="Find the owner of an API key"
          hint="The whole key, or its exact prefix: the part before the dot."
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
      <div role="status">{result && <FoundList {...result} />}</div>
    </section>
  );
}

function FoundList({ found, rest }: Result) {
  if (found.length === 0) return <p className="hint">No API key found.</p>;
  return (
    <>
      {rest && (
        <p className="hint">
          {found.length === 1 ? 'One key starts like this.' : `${found.length} keys start like this.`} The
          rest {rest}.
        </p>
      )}
      <ul className="found">
        {found.map((key) => (
          <li key={key.keyId}>
            <a href={accountKeyLink(key.userId, key.keyId)}>
              <bdi>{nameOf({ ...key, id: key.keyId })}</bdi>
            </a>
            , ID {key.keyId}, owner{' '}
            <a href={accountLink(key.userId)}>
              <bdi>{key.subject}</bdi>
            </a>{' '}
            <KeyState {...key} />
          </li>
        ))}
      </ul>
    </>
  );
}

function KeyState(found: Found[number]) {
  const now = new Date();
  const isBlocked = found.isBlocked && stateOf(found, now) === 'active';
  return isBlocked ? <Badge tone="warn">Blocked</Badge> : <KeyBadge apiKey={found} now={now} />;
}

import type { ResultOf } from 'gql.tada';
import { useState } from 'preact/compat';
import { nameOf, stateOf } from '../keys/api-key.ts';
import { KeyBadge } from '../keys/key-badge.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { FormProblem } from '../ui/form-problem.tsx';
import { type Host, useHost, useLanguage } from '../ui/host.ts';
import { useAction } from '../ui/use-action.ts';
import { accountKeyLink, accountLink } from './account.tsx';
import { findApiKeyMutation } from './documents.ts';

type Found = ResultOf<typeof findApiKeyMutation>['findApiKey'];

/** The keys that were found. */
interface Result {
  readonly found: Found;
  /** What is true of the text after the dot, if only the part before it was found. */
  readonly rest?: 'no-match' | 'not-compared';
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
  const rest = text.length > longestPrefix ? 'no-match' : 'not-compared';
  return { found: await findBy({ key: null, keyPrefix: prefix }), rest };
}

/** Finds the owner of an API key. The text may be a whole key, so only the field and the request hold it. */
export function FoundKeys() {
  const { request } = useHost();
  const { text } = useLanguage();
  const action = useAction();
  const [result, setResult] = useState<Result>();
  return (
    <section className="card find-key">
      <Form
        id="find-key"
        className="toolbar"
        action={action}
        onSubmit={async (form) => {
          const typed = `${form.get('key')}`.trim();
          setResult(typed === '' ? undefined : await find(request, typed));
        }}
      >
        <Field
          label={text('operate.find-key')}
          hint={text('operate.find-key-hint')}
          issue={action.problem?.issueOf('key') ?? action.problem?.issueOf('keyPrefix')}
        >
          {(control) => (
            <input {...control} name="key" type="password" autoComplete="off" spellcheck={false} />
          )}
        </Field>
        <Button type="submit" pending={action.pending}>
          {text('operate.find')}
        </Button>
      </Form>
      <FormProblem problem={action.problem} shown={['key', 'keyPrefix']} />
      <div role="status">{result && <FoundList {...result} />}</div>
    </section>
  );
}

function FoundList({ found, rest }: Result) {
  const { text } = useLanguage();
  if (found.length === 0) return <p className="hint">{text('operate.found-none')}</p>;
  return (
    <>
      {rest && <p className="hint">{text(`operate.found-${rest}`, { count: found.length })}</p>}
      <ul className="found">
        {found.map((key) => (
          <li key={key.keyId}>
            <FoundKey {...key} /> <KeyState {...key} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** A key and its owner, with links to both. */
function FoundKey({ keyId, name, userId, subject }: Found[number]) {
  const language = useLanguage();
  return language.rich('operate.found', {
    key: (content) => <a href={accountKeyLink(userId, keyId)}>{content}</a>,
    name: <bdi>{nameOf(language, { id: keyId, name })}</bdi>,
    id: keyId,
    owner: (content) => <a href={accountLink(userId)}>{content}</a>,
    subject: <bdi>{subject}</bdi>,
  });
}

function KeyState(found: Found[number]) {
  const { text } = useLanguage();
  const now = new Date();
  const isBlocked = found.isBlocked && stateOf(found, now) === 'active';
  if (isBlocked) return <Badge tone="warn">{text('operate.found-blocked')}</Badge>;
  return <KeyBadge apiKey={found} now={now} />;
}

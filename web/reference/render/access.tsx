import type { FoundOperation } from '../description/operations.ts';
import { Only } from './only.tsx';
import { usualKeyHeader } from './placeholders.ts';
import { conditionOf, scopeListsOf } from './reading.ts';

const Scopes = ({ scopes }: { readonly scopes: readonly string[] }) => (
  <>
    {scopes.map((scope, index) => (
      <>
        {index > 0 && ' '}
        <code key={scope}>{scope}</code>
      </>
    ))}
  </>
);

/** What a request must carry: a token with scopes, an API key, or nothing. */
export const Access = ({ found }: { readonly found: FoundOperation }) => {
  if (found.credential === 'none') return null;
  if (found.credential === 'key')
    return (
      <p class="access">
        Takes an API key in <code>{usualKeyHeader}</code>
        <Only when="bearer-keys">
          {' '}
          or as <code>Authorization: Bearer</code>
        </Only>
        .
      </p>
    );
  const [first = [], ...others] = scopeListsOf(found);
  return (
    <p class="access">
      Scopes: <Scopes scopes={first} />
      {others.map((scopes) => (
        <Alternative key={scopes.join()} found={found} scopes={scopes} />
      ))}
    </p>
  );
};

/** Other scopes with which a token may call an operation. */
function Alternative({
  found,
  scopes,
}: {
  readonly found: FoundOperation;
  readonly scopes: readonly string[];
}) {
  const words = (
    <>
      , or <Scopes scopes={scopes} />
    </>
  );
  if (scopes.includes('keyward.admin'))
    return (
      <Only when={conditionOf(found) ? undefined : 'operators'}>
        , or for operators <Scopes scopes={scopes} />
      </Only>
    );
  const isActing =
    scopes.includes('accounts.act') && found.parameters.some(({ name }) => name === 'Keyward-Account');
  return isActing ? (
    <>
      {words} with <code>Keyward-Account</code>
    </>
  ) : (
    words
  );
}

import { useState } from 'preact/compat';
import { useHost } from '../ui/host.ts';
import { usePlace } from '../ui/use-place.ts';
import { View } from '../ui/view.tsx';
import { accountLink } from './account.tsx';
import { AccountList, type AccountsWanted } from './account-list.tsx';
import { FoundKeys } from './found-keys.tsx';

const states = [
  ['All', undefined],
  ['Blocked', true],
] as const;

/** The id of an account, as in the log. A subject may look the same. */
const isNumber = /^[1-9]\d{0,8}$/;

/** Finds accounts by a part of their subject, and the owner of an API key. What is searched is in the address. */
export function AccountSearch() {
  const { params } = usePlace();
  const wanted = {
    filter: params.get('find') ?? '',
    isBlocked: params.get('state') === 'blocked' || undefined,
  };
  return (
    <View
      title="Operate"
      lead={
        <>
          All accounts, their API keys, and <a href="#operate/webhooks">webhook endpoints</a>. Your changes
          here are recorded in your activity.
        </>
      }
    >
      <FoundKeys />
      <SearchForm wanted={wanted} />
      {isNumber.test(wanted.filter) && (
        <p>
          <a href={accountLink(Number(wanted.filter))}>Open account {wanted.filter}</a>
        </p>
      )}
      <AccountList wanted={wanted} />
    </View>
  );
}

/** Whether a text has a whole API key in it, which must never get into the address. */
const hasKey = (text: string): boolean => /\.[0-9a-f]{64}/.test(text);

function SearchForm({ wanted }: { readonly wanted: AccountsWanted }) {
  const { setParams } = useHost();
  // Undefined while the field has what is searched.
  const [typed, setTyped] = useState<string>();
  const text = typed ?? wanted.filter;
  const isKey = hasKey(text);
  return (
    <search>
      <form
        className="toolbar account-toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          if (isKey) return;
          setTyped(undefined);
          setParams({ find: text.trim() });
        }}
      >
        <input
          type="search"
          aria-label="Search accounts"
          placeholder="Part of the subject"
          autoComplete="off"
          autoCapitalize="none"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget: { value } }) => {
            setTyped(value || undefined);
            if (value === '') setParams({ find: undefined });
          }}
        />
        <button type="submit" className="button plain">
          Search
        </button>
        <fieldset className="segments">
          <legend className="visually-hidden">Show</legend>
          {states.map(([label, isBlocked]) => (
            <label key={label}>
              <input
                type="radio"
                name="state"
                checked={isBlocked === wanted.isBlocked}
                onChange={() => setParams({ state: isBlocked && 'blocked' })}
              />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
      </form>
      <div role="status">
        {isKey && <p className="hint">This looks like an API key. Paste it above to find its owner.</p>}
      </div>
    </search>
  );
}

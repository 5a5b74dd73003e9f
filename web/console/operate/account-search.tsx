import { useState } from 'preact/compat';
import { useHost, useLanguage } from '../ui/host.ts';
import { usePlace } from '../ui/use-place.ts';
import { View } from '../ui/view.tsx';
import { accountLink } from './account.tsx';
import { AccountList, type AccountsWanted } from './account-list.tsx';
import { FoundKeys } from './found-keys.tsx';
import { trailLink } from './trail/trail-filter.ts';

const states = [
  ['all', undefined],
  ['blocked', true],
] as const;

/** The id of an account, as in the log. A subject may look the same. */
const isNumber = /^[1-9]\d{0,8}$/;

/** Finds accounts by a part of their subject, and the owner of an API key. What is searched is in the address. */
export function AccountSearch() {
  const { text, rich } = useLanguage();
  const { params } = usePlace();
  const wanted = {
    filter: params.get('find') ?? '',
    isBlocked: params.get('state') === 'blocked' || undefined,
  };
  return (
    <View
      title={text('operate.title')}
      lead={rich('operate.lead', {
        webhooks: (content) => <a href="#operate/webhooks">{content}</a>,
        trail: (content) => <a href={trailLink({})}>{content}</a>,
      })}
    >
      <FoundKeys />
      <SearchForm wanted={wanted} />
      {isNumber.test(wanted.filter) && (
        <p>
          <a href={accountLink(Number(wanted.filter))}>
            {text('operate.open-account', { id: wanted.filter })}
          </a>
        </p>
      )}
      <AccountList wanted={wanted} />
    </View>
  );
}

/** Whether a text has a whole API key in it, which must never get into the address. */
const hasKey = (text: string): boolean => /\.[0-9a-f]{64}/.test(text);

function SearchForm({ wanted }: { readonly wanted: AccountsWanted }) {
  const { text } = useLanguage();
  const { setParams } = useHost();
  // Undefined while the field has what is searched.
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? wanted.filter;
  const isKey = hasKey(shown);
  return (
    <search>
      <form
        className="toolbar account-toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          if (isKey) return;
          setTyped(undefined);
          setParams({ find: shown.trim() });
        }}
      >
        <input
          type="search"
          aria-label={text('operate.search')}
          placeholder={text('operate.search-for')}
          autoComplete="off"
          autoCapitalize="none"
          spellcheck={false}
          value={shown}
          onInput={({ currentTarget: { value } }) => {
            setTyped(value || undefined);
            if (value === '') setParams({ find: undefined });
          }}
        />
        <button type="submit" className="button plain">
          {text('operate.do-search')}
        </button>
        <StateFilter wanted={wanted} />
      </form>
      <div role="status">{isKey && <p className="hint">{text('operate.search-is-key')}</p>}</div>
    </search>
  );
}

function StateFilter({ wanted }: { readonly wanted: AccountsWanted }) {
  const { setParams } = useHost();
  const { text } = useLanguage();
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{text('operate.filter')}</legend>
      {states.map(([state, isBlocked]) => (
        <label key={state}>
          <input
            type="radio"
            name="state"
            checked={isBlocked === wanted.isBlocked}
            onChange={() => setParams({ state: isBlocked && 'blocked' })}
          />
          <span>{text(`operate.filter-${state}`)}</span>
        </label>
      ))}
    </fieldset>
  );
}

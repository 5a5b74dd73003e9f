import { useState } from 'preact/compat';
import { View } from '../ui/view.tsx';
import { accountLink } from './account.tsx';
import { AccountList, type AccountsWanted } from './account-list.tsx';
import { FoundKeys } from './found-keys.tsx';

const states = [
  ['All', undefined],
  ['Blocked', true],
] as const;

/** The id of an account, as in the log. A subject may look the same. */
const isNumber = /^[1-9]\d{0,9}$/;

/** Finds accounts by their subject, and the owner of an API key. */
export function AccountSearch() {
  const [typed, setTyped] = useState('');
  const [wanted, setWanted] = useState<AccountsWanted>({ filter: '', isBlocked: undefined });
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
      <search>
        <form
          className="toolbar account-toolbar"
          onSubmit={(event) => {
            event.preventDefault();
            setWanted({ ...wanted, filter: typed.trim() });
          }}
        >
          <input
            type="search"
            aria-label="Search accounts"
            placeholder="Start of the subject (case-sensitive)"
            autoComplete="off"
            spellcheck={false}
            value={typed}
            onInput={({ currentTarget }) => {
              setTyped(currentTarget.value);
              if (currentTarget.value === '') setWanted({ ...wanted, filter: '' });
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
                  onChange={() => setWanted({ ...wanted, isBlocked })}
                />
                <span>{label}</span>
              </label>
            ))}
          </fieldset>
        </form>
      </search>
      {isNumber.test(wanted.filter) && (
        <p>
          <a href={accountLink(Number(wanted.filter))}>Open account {wanted.filter}</a>
        </p>
      )}
      <AccountList wanted={wanted} />
    </View>
  );
}

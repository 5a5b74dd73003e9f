import { pageLanguage } from '../shared/page-language.ts';
import { chooseScopes } from './session.ts';
import { settings } from './settings.ts';
import { useSession } from './use-session.ts';

interface ScopeChoiceProps {
  /** Whether somebody is signed in. */
  readonly again: boolean;
  readonly onSignIn: () => void;
}

/** Signs in with the chosen scopes. With fewer, a developer can see what operations refuse. */
export function ScopeChoice({ again, onSignIn }: ScopeChoiceProps) {
  const { chosenScopes } = useSession();
  const { text } = pageLanguage();
  const toggle = (name: string) =>
    chooseScopes(
      chosenScopes.includes(name) ? chosenScopes.filter((scope) => scope !== name) : [...chosenScopes, name],
    );
  return (
    <>
      <fieldset>
        <legend>{text('sign-in.scopes-to-request')}</legend>
        {settings.scopes.map(({ name, description }) => (
          <label key={name}>
            <input type="checkbox" checked={chosenScopes.includes(name)} onChange={() => toggle(name)} />
            <span>
              <code>{name}</code>
              <small>{description}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <button type="button" className="sign-in-button" onClick={onSignIn}>
        {text(again ? 'sign-in.again-with-scopes' : 'sign-in.with-scopes')}
      </button>
    </>
  );
}

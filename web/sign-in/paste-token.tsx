import { type FormEvent, useState } from 'preact/compat';
import { pageLanguage } from '../shared/page-language.ts';
import { pasteToken } from './sign-in.ts';

/** Takes an access token that a person got elsewhere. Like any token, it is gone with the page. */
export function PasteToken({ isOnlyWay }: { readonly isOnlyWay: boolean }) {
  const { text } = pageLanguage();
  const [fault, setFault] = useState('');
  const use = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    try {
      pasteToken(String(new FormData(form).get('token')));
      form.reset();
      setFault('');
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  return (
    <details open={isOnlyWay}>
      <summary>{text('sign-in.paste')}</summary>
      <form onSubmit={use}>
        <label>
          {text('sign-in.token')}
          <input name="token" type="password" required autoComplete="off" spellcheck={false} />
        </label>
        <button type="submit">{text('sign-in.use-token')}</button>
        <p role="alert">{fault}</p>
      </form>
    </details>
  );
}

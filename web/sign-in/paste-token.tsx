import { type FormEvent, useState } from 'preact/compat';
import { pasteToken } from './sign-in.ts';

/** Takes an access token that a person got elsewhere. Like any token, it is gone with the page. */
export function PasteToken({ isOnlyWay }: { readonly isOnlyWay: boolean }) {
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
      <summary>Paste an access token</summary>
      <form onSubmit={use}>
        <label>
          Access token
          <input name="token" type="password" required autoComplete="off" spellcheck={false} />
        </label>
        <button type="submit">Use token</button>
        <p role="alert">{fault}</p>
      </form>
    </details>
  );
}

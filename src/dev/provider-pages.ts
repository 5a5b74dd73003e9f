import { createHash } from 'node:crypto';
import { defaultRole, offeredRoles } from './organization-roles.ts';

const style = `
:root { color-scheme: light dark; --accent: light-dark(#0b5d57, #6fd3c6); --line: light-dark(#d7dfdd, #35413f); }
body { margin: 0; padding: 12vh 24px 24px; background: light-dark(#fff, #141a19); color: light-dark(#1b2422, #e6ecea);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 22rem; margin: 0 auto; }
h1 { margin: 0 0 8px; font-size: 24px; letter-spacing: -.01em; }
p { margin: 0 0 24px; color: light-dark(#55625f, #a3b1ae); }
form { display: grid; gap: 12px; margin: 0 0 28px; }
label { display: grid; gap: 4px; }
.pair { display: grid; grid: auto auto / auto-flow 1fr auto; gap: 4px 12px; }
.hint { margin: 0 0 12px; font-size: 14px; }
.other { margin-top: 16px; }
.fault { color: light-dark(#a3261d, #ff9d92); }
input, select, button { box-sizing: border-box; width: 100%; padding: 10px 14px; border: 1px solid var(--line);
  border-radius: 8px; background: transparent; color: inherit; font: inherit; }
input, select { border-color: light-dark(#55625f, #a3b1ae); }
select { background: light-dark(#fff, #141a19); }
button { cursor: pointer; }
.first { border-color: var(--accent); background: var(--accent); color: light-dark(#fff, #06201d); font-weight: 600; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;

/** The Content-Security-Policy of these pages: it allows their own style sheet and nothing else. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src data:; frame-ancestors 'none'`;

// These pages replace the library's own, which load a font from elsewhere and warn on the console.

/**
 * A page of the provider.
 * @param title the title, as HTML
 * @param content the HTML below the title
 */
export const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
<main><h1>${title}</h1>${content}</main>
</html>
`;

const roleChoices = offeredRoles
  .map((role) => `<option${role === defaultRole ? ' selected' : ''}>${role}</option>`)
  .join('');

// Enter in a field presses the first button of its form. That one is hidden and has no name, so Enter never continues
// as alice. The form sends `login` twice if a seeded account is chosen: the button's value, then the field's.

/**
 * The page where a person chooses an account: one click for a seeded account, or any other name.
 * @param fault what is wrong with the form that was sent, as HTML
 */
export const loginPage = (fault?: string) =>
  page(
    'Sign in',
    `<p>Development only: any name will do, no password is asked for.</p>
${fault === undefined ? '' : `<p class="fault" role="alert">${fault}</p>`}
<form method="post"><button hidden>Continue</button>
<div class="pair"><label for="organization">Organisation</label>
<input id="organization" name="organization" maxlength="255" pattern="[ -~]*" title="Visible ASCII characters, with spaces only inside" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="hint">
<label for="role">Role</label><select id="role" name="role">${roleChoices}</select></div>
<p class="hint" id="hint">Optional: the id of an organisation, such as acme, and the role in it.</p>
<button class="first" name="login" value="alice" formnovalidate>Continue as alice</button>
<button name="login" value="bob" formnovalidate>Continue as bob</button>
<label class="other">Another name <input name="login" required maxlength="255" autocomplete="off"></label>
<button>Continue</button></form>`,
  );

import { createHash } from 'node:crypto';

const style = `
:root { color-scheme: light dark; --accent: light-dark(#0b5d57, #6fd3c6); --line: light-dark(#d7dfdd, #35413f); }
body { margin: 0; padding: 12vh 24px 24px; background: light-dark(#fff, #141a19); color: light-dark(#1b2422, #e6ecea);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 22rem; margin: 0 auto; }
h1 { margin: 0 0 8px; font-size: 24px; letter-spacing: -.01em; }
p { margin: 0 0 24px; color: light-dark(#55625f, #a3b1ae); }
form { display: grid; gap: 12px; margin: 0 0 28px; }
label { display: grid; gap: 4px; }
input, button { box-sizing: border-box; width: 100%; padding: 10px 14px; border: 1px solid var(--line);
  border-radius: 8px; background: transparent; color: inherit; font: inherit; }
input { border-color: light-dark(#55625f, #a3b1ae); }
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

/** The page where a person chooses an account: one click for a seeded account, or any other name. */
export const loginPage = page(
  'Sign in',
  `<p>Development only: any name will do, no password is asked for.</p>
<form method="post"><button class="first" name="login" value="alice">Continue as alice</button>
<button name="login" value="bob">Continue as bob</button></form>
<form method="post"><label>Another name <input name="login" required maxlength="255" autocomplete="off"></label>
<button>Continue</button></form>`,
);

/** Text as HTML shows it. */
export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

// The library's own pages load a font from elsewhere and warn on the console, so these stand in for them.

/** A page of the provider's: a title, and HTML below it. */
export const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<main><h1>${title}</h1>${content}</main>
</html>
`;

/** Where a person says who they are. */
export const loginPage = page(
  'Sign in',
  `<p>Development only: any name will do, no password is asked for.</p>
<form method="post"><label>Name <input name="login" required maxlength="255" autofocus></label>
<button>Sign in</button></form>`,
);

/** Where a person lets a client act for them. */
export const consentPage = (clientId: string, scope: string) =>
  page(
    'Allow access',
    `<p>${escapeHtml(clientId)} asks for: ${escapeHtml(scope)}</p><form method="post"><button>Allow</button></form>`,
  );

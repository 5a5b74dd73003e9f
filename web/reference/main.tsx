import 'swagger-ui-dist/swagger-ui.css';
import './main.css';
import { render } from 'preact/compat';
import { fetchInTime } from '../shared/fetch-in-time.ts';
import { mend } from '../shared/mend.ts';
import { TopBar } from '../shared/top-bar.tsx';
import { resumeSession } from '../sign-in/resume-session.ts';
import { authorize, noticeRefusal } from './authorize.ts';
import { linkOperations } from './deep-links.ts';
import { mendings } from './mendings.ts';
import { prepareDescription } from './prepare-description.ts';
import { showToken } from './show-token.ts';

void resumeSession();
render(<TopBar current="reference" />, document.getElementById('bar') as HTMLElement);

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const reference = document.getElementById('reference') as HTMLElement;
mend(reference, mendings);
linkOperations(reference);

const load = () =>
  Promise.all([
    import('swagger-ui-dist/swagger-ui-es-bundle.js'),
    fetchInTime('/api/v1/openapi.json', {}, 'Try again in a moment.').then((response) => response.json()),
  ]);

/** Says why there is nothing to read. What failed to load is not asked for a second time by the same page. */
function giveUp(): never {
  render(
    <main className="page-note">
      <h1>API reference</h1>
      <p role="alert">Keyward cannot be reached. Check your connection and try again.</p>
      <button type="button" onClick={() => location.reload()}>
        Try again
      </button>
    </main>,
    reference,
  );
  throw new Error('The API reference could not be loaded.');
}

// The bar is there before, for Swagger UI is large.
const [{ default: SwaggerUI }, description] = await load().catch(giveUp);

// Swagger UI, of those that could be here: it alone sends every request itself, from the page, through a function of
// ours, and loads neither fonts nor a proxy from elsewhere.
SwaggerUI({
  domNode: reference,
  spec: prepareDescription(description),
  deepLinking: false,
  plugins: [showToken],
  // Each operation shows the schemas that it has to do with.
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  // The one whose colours can be read on both grounds.
  syntaxHighlight: { activated: true, theme: 'obsidian' },
  // Nothing of the document goes elsewhere to be validated.
  validatorUrl: null,
  // The request that it shows as a command of curl is the one without the token.
  showMutatedRequest: false,
  requestInterceptor: authorize,
  responseInterceptor: noticeRefusal,
});

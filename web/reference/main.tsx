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

/** Says why there is nothing to read. *Try again* reloads: a page never imports a failed module a second time. */
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

// The bar shows first, because Swagger UI is large.
const [{ default: SwaggerUI }, description] = await load().catch(giveUp);

// Why Swagger UI: of the tools compared, only it sends every request from the page, through a function of ours, and
// loads neither fonts nor a proxy from elsewhere.
SwaggerUI({
  domNode: reference,
  spec: prepareDescription(description),
  deepLinking: false,
  plugins: [showToken],
  // Each operation shows its own schemas.
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  // The theme whose colours can be read on both backgrounds.
  syntaxHighlight: { activated: true, theme: 'obsidian' },
  // The document is not sent to a validator.
  validatorUrl: null,
  // The curl command shows the request without the token.
  showMutatedRequest: false,
  requestInterceptor: authorize,
  responseInterceptor: noticeRefusal,
});

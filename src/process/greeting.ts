import { styleText } from 'node:util';
import type { Config } from '../config/config.ts';
import { databaseKind, databaseSummary, issuerSummary } from '../config/summary.ts';
import { baseUrl, wildcards } from '../http/base-url.ts';
import { pages } from '../pages/pages.ts';

interface Ready {
  readonly config: Config;
  /** The port that the service listens on. */
  readonly port: number;
  /** The version of the running service. */
  readonly version: string;
  /** Whether standard output is a terminal: a terminal shows a panel, any other output gets one JSON line. */
  readonly terminal: boolean;
}

const warning =
  'the development identity provider lets anyone in, as anyone. Set AUTH_ISSUER to use your own.';

const placesAt = (base: string) => ({
  graphql: `${base}/graphql`,
  rest: `${base}/api/v1`,
  openapi: `${base}/api/v1/openapi.json`,
});

/** The greeting of a ready service: its URLs and main settings, and first steps for a newcomer. */
export function greet({ config, port, version, terminal }: Ready): string {
  const base = baseUrl(config.host, port) + config.edge.publicPath;
  const development = config.issuers.length === 0;
  if (terminal) return panel(config, base, version) + (development ? firstSteps(config, port, base) : '');
  const time = new Date().toISOString();
  const what = { version, database: databaseKind(config), workers: config.workers };
  const line = { level: 30, time, msg: 'ready', ...what, url: base, ...placesAt(base) };
  return `${JSON.stringify(development ? { ...line, warning } : line)}\n`;
}

const pageTitles = { console: 'Console', graphiql: 'GraphiQL', reference: 'API reference' } as const;

/** The URLs of the pages for a browser, one line for each page. */
const pageLines = (config: Config, base: string): string =>
  config.pages.shown.map((name) => `    ${pageTitles[name].padEnd(20)}${base}${pages[name].path}\n`).join('');

function panel(config: Config, base: string, version: string): string {
  const { graphql, rest, openapi } = placesAt(base);
  return `
  ${styleText('bold', 'Keyward is ready.')}

    GraphQL             ${graphql}
    REST                ${rest}
    OpenAPI             ${openapi}
${pageLines(config, base)}
    Access tokens of    ${issuerSummary(config)}
    Database            ${databaseSummary(config)}
    Workers             ${config.workers}
    Version             ${version}

`;
}

/** A first call that works as printed, and the warning about the development identity provider. */
function firstSteps({ host }: Config, port: number, base: string): string {
  const ownHost = host === '127.0.0.1' || wildcards.includes(host) ? '' : `HOST=${host} `;
  const settings = `${port === 4000 ? '' : `PORT=${port} `}${ownHost}`;
  return `  A first call:

    curl -H "Authorization: Bearer $(${settings}npm run --silent token -- --subject alice)" ${base}/api/v1/auth/private-key

  ${styleText('yellow', 'Warning:')} ${warning}

`;
}

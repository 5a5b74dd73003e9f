import type { Config } from './config/config.ts';

interface Ready {
  readonly config: Config;
  /** The port that it listens on. */
  readonly port: number;
  /** Whether the development identity provider runs. */
  readonly development: boolean;
}

const wildcards = ['0.0.0.0', '::'];

/** The URL of a server that listens here; of one that listens everywhere, its URL on this machine. */
export function baseUrl(host: string, port: number): string {
  const reachable = wildcards.includes(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** What a newcomer needs to know when the service is ready; one JSON line in production. */
export function greet({ config, port, development }: Ready): string {
  const host = wildcards.includes(config.host) ? '127.0.0.1' : config.host;
  const base = baseUrl(config.host, port);
  if (config.production) return `${JSON.stringify({ level: 30, msg: 'ready', url: base })}\n`;
  const places = `
  Keyward is ready.

    GraphQL, GraphiQL   ${base}/graphql
    REST                ${base}/api/v1
    OpenAPI             ${base}/api/v1/openapi.json
`;
  if (!development) return `${places}\n`;
  const settings = `${port === 4000 ? '' : `PORT=${port} `}${host === '127.0.0.1' ? '' : `HOST=${host} `}`;
  return `${places}
  A first call:

    curl -H "Authorization: Bearer $(${settings}npm run --silent token -- --subject alice)" ${base}/api/v1/auth/private-key

  Warning: the development identity provider lets anyone in, as anyone. Set AUTH_ISSUER to use your own.

`;
}

import { GatewayError } from '../errors.ts';

/** The REST route of a root field. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below `/api/v1`; its parameters stand in braces, in snake_case. */
  readonly path: `/${string}`;
  /** For a route that creates: the path of the created resource. The members of the answer fill its parameters. */
  readonly created?: `/${string}`;
  /** Whether a request may have no body: each member is optional, and a lost body does no harm. */
  readonly optionalBody?: boolean;
  /** Whether a request may ask for all pages of the list in one answer: newline-delimited JSON, one item on a line. */
  readonly streams?: boolean;
}

/** Routes by the name of their root field. */
export type Routes = Readonly<Record<string, Route>>;

/** Every REST operation: root field → route. A new operation costs one line here and nothing else in this folder. */
export const routes = {
  apiKeys: { method: 'GET', path: '/auth/keys' },
  createApiKey: { method: 'POST', path: '/auth/keys', created: '/auth/keys/{id}' },
  defaultApiKey: { method: 'GET', path: '/auth/keys/default' },
  apiKeysUsage: { method: 'GET', path: '/auth/keys/usage' },
  apiKey: { method: 'GET', path: '/auth/keys/{key_id}' },
  updateApiKey: { method: 'PATCH', path: '/auth/keys/{key_id}' },
  deactivateApiKey: { method: 'DELETE', path: '/auth/keys/{key_id}' },
  setDefaultApiKey: { method: 'PUT', path: '/auth/keys/{key_id}/default' },
  rotateApiKey: { method: 'POST', path: '/auth/keys/{key_id}/rotate', optionalBody: true },
  pauseApiKey: { method: 'POST', path: '/auth/keys/{key_id}/pause', optionalBody: true },
  resumeApiKey: { method: 'POST', path: '/auth/keys/{key_id}/resume', optionalBody: true },
  apiKeySecrets: { method: 'GET', path: '/auth/keys/{key_id}/secrets' },
  endApiKeySecret: { method: 'DELETE', path: '/auth/keys/{key_id}/secrets/{prefix}' },
  apiKeyUsage: { method: 'GET', path: '/auth/keys/{key_id}/usage' },
  verifyApiKey: { method: 'POST', path: '/keys/verify' },
  importApiKey: { method: 'POST', path: '/keys/import' },
  privateKeyStatus: { method: 'GET', path: '/auth/private-key' },
  registerPrivateKey: { method: 'POST', path: '/auth/private-key', created: '/auth/private-key' },
  removePrivateKey: { method: 'DELETE', path: '/auth/private-key' },
  automationSettings: { method: 'GET', path: '/automation/settings' },
  updateAutomationSettings: { method: 'PUT', path: '/automation/settings' },
  myAccounts: { method: 'GET', path: '/auth/accounts' },
  myEntitlement: { method: 'GET', path: '/auth/entitlement' },
  auditEvents: { method: 'GET', path: '/audit-events' },
  auditTrail: { method: 'GET', path: '/admin/audit-events', streams: true },
  accounts: { method: 'GET', path: '/admin/accounts' },
  ensureAccount: { method: 'PUT', path: '/admin/accounts' },
  account: { method: 'GET', path: '/admin/accounts/{id}' },
  eraseAccount: { method: 'DELETE', path: '/admin/accounts/{id}' },
  blockAccount: { method: 'POST', path: '/admin/accounts/{id}/block' },
  unblockAccount: { method: 'POST', path: '/admin/accounts/{id}/unblock' },
  accountAuditEvents: { method: 'GET', path: '/admin/accounts/{id}/audit-events' },
  entitlement: { method: 'GET', path: '/admin/accounts/{user_id}/entitlement' },
  setEntitlement: { method: 'PUT', path: '/admin/accounts/{user_id}/entitlement' },
  setEntitlementBySubject: { method: 'PUT', path: '/admin/entitlements' },
  accountApiKeys: { method: 'GET', path: '/admin/accounts/{id}/keys' },
  accountApiKey: { method: 'GET', path: '/admin/accounts/{id}/keys/{key_id}' },
  accountUsage: { method: 'GET', path: '/admin/accounts/{id}/usage' },
  findApiKey: { method: 'POST', path: '/admin/keys/find' },
  deactivateAccountApiKey: { method: 'DELETE', path: '/admin/keys/{key_id}' },
  pauseAccountApiKey: { method: 'POST', path: '/admin/keys/{key_id}/pause' },
  resumeAccountApiKey: { method: 'POST', path: '/admin/keys/{key_id}/resume' },
  accountApiKeyUsage: { method: 'GET', path: '/admin/keys/{key_id}/usage' },
  webhookEndpoints: { method: 'GET', path: '/admin/webhooks' },
  webhookEndpoint: { method: 'GET', path: '/admin/webhooks/{endpoint_id}' },
  createWebhookEndpoint: { method: 'POST', path: '/admin/webhooks', created: '/admin/webhooks/{id}' },
  updateWebhookEndpoint: { method: 'PATCH', path: '/admin/webhooks/{endpoint_id}' },
  removeWebhookEndpoint: { method: 'DELETE', path: '/admin/webhooks/{endpoint_id}' },
  rotateWebhookSecret: { method: 'POST', path: '/admin/webhooks/{endpoint_id}/rotate', optionalBody: true },
  webhookDeliveries: { method: 'GET', path: '/admin/webhooks/{endpoint_id}/deliveries' },
  webhookDelivery: { method: 'GET', path: '/admin/webhooks/{endpoint_id}/deliveries/{delivery_id}' },
  resendWebhookDelivery: { method: 'POST', path: '/admin/webhooks/deliveries/{delivery_id}/resend' },
} as const satisfies Routes;

/** The beginning of all REST paths: the version of the contract. */
export const basePath = '/api/v1';

/** Fills in the parameters of a path template: `/auth/keys/{id}` and `{ id: 1 }` → `/api/v1/auth/keys/1`. */
export const toReference = (path: string, values: Readonly<Record<string, unknown>>): string =>
  basePath + path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));

/** The route that a request calls. */
export interface RouteMatch<Called extends Route = Route> {
  /** The name of the root field. */
  readonly field: string;
  readonly route: Called;
  /** The path parameters by name, still percent-encoded. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The pattern of a path: each parameter is a group of its name. */
const compile = (path: string) =>
  new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

/**
 * Compiles a table of routes.
 * @returns a function from method and path (below the base path) to the called route; it throws a GatewayError:
 *   `NOT_FOUND` for an unknown path, `METHOD_NOT_ALLOWED` for a known path with another method
 */
export function createRouteMatcher<Called extends Route>(table: Readonly<Record<string, Called>>) {
  // A literal segment matches before a parameter in the same place, because `{` sorts after all letters.
  const places = Object.entries(table)
    .map(([field, route]) => ({ field, route, pattern: compile(route.path), parameters: new Map() }))
    .toSorted(({ route: { path: one } }, { route: { path: other } }) => (one < other ? -1 : 1));
  const byPath = Map.groupBy(places, ({ route }) => route.path);
  const withParameters = places.filter(({ route }) => route.path.includes('{'));
  const byMethod = Map.groupBy(withParameters, ({ route }) => route.method);

  return (method: string, path: string): RouteMatch<Called> => {
    // A path without parameters needs no pattern.
    const literal = path.includes('{')
      ? undefined
      : byPath.get(path as Route['path'])?.find(({ route }) => route.method === method);
    if (literal) return literal;
    for (const place of byMethod.get(method as Route['method']) ?? []) {
      const groups = place.pattern.exec(path)?.groups;
      if (groups) return { ...place, parameters: new Map(Object.entries(groups)) };
    }
    const others = places.filter(({ pattern }) => pattern.test(path));
    if (others.length === 0) throw new GatewayError('NOT_FOUND', 'Not Found');
    throw methodNotAllowed(others.map(({ route }) => route.method));
  };
}

const methodNotAllowed = (methods: readonly string[]) => {
  const allowed = new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods);
  return new GatewayError('METHOD_NOT_ALLOWED', 'Method Not Allowed', {
    headers: { allow: [...allowed].sort().join(', ') },
  });
};

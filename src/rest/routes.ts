/** Where a root field of the GraphQL schema stands in REST. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`; parameters in braces, in snake_case. */
  readonly path: `/${string}`;
  /** For a route that creates: the path of what it made, its parameters from the members of the answer. */
  readonly created?: `/${string}`;
}

/** Routes by the name of their root field. */
export type Routes = Readonly<Record<string, Route>>;

/** Every REST operation: root field → route. A new operation costs one line here and nothing else in this folder. */
export const routes = {
  createApiKey: { method: 'POST', path: '/auth/keys', created: '/auth/keys/{id}' },
  apiKeys: { method: 'GET', path: '/auth/keys' },
  defaultApiKey: { method: 'GET', path: '/auth/keys/default' },
  apiKeysUsage: { method: 'GET', path: '/auth/keys/usage' },
  apiKeyUsage: { method: 'GET', path: '/auth/keys/{key_id}/usage' },
  apiKey: { method: 'GET', path: '/auth/keys/{key_id}' },
  updateApiKey: { method: 'PATCH', path: '/auth/keys/{key_id}' },
  setDefaultApiKey: { method: 'PUT', path: '/auth/keys/{key_id}/default' },
  rotateApiKey: { method: 'POST', path: '/auth/keys/{key_id}/rotate' },
  deactivateApiKey: { method: 'DELETE', path: '/auth/keys/{key_id}' },
  privateKeyStatus: { method: 'GET', path: '/auth/private-key' },
  registerPrivateKey: { method: 'POST', path: '/auth/private-key', created: '/auth/private-key' },
  removePrivateKey: { method: 'DELETE', path: '/auth/private-key' },
  automationSettings: { method: 'GET', path: '/automation/settings' },
  auditEvents: { method: 'GET', path: '/audit-events' },
  updateAutomationSettings: { method: 'PUT', path: '/automation/settings' },
  verifyApiKey: { method: 'POST', path: '/keys/verify' },
  accounts: { method: 'GET', path: '/admin/accounts' },
  account: { method: 'GET', path: '/admin/accounts/{id}' },
  accountApiKeys: { method: 'GET', path: '/admin/accounts/{id}/keys' },
  blockAccount: { method: 'POST', path: '/admin/accounts/{id}/block' },
  unblockAccount: { method: 'POST', path: '/admin/accounts/{id}/unblock' },
  eraseAccount: { method: 'DELETE', path: '/admin/accounts/{id}' },
  deactivateAccountApiKey: { method: 'DELETE', path: '/admin/keys/{key_id}' },
  findApiKey: { method: 'POST', path: '/admin/keys/find' },
  webhookEndpoints: { method: 'GET', path: '/admin/webhooks' },
  webhookEndpoint: { method: 'GET', path: '/admin/webhooks/{endpoint_id}' },
  createWebhookEndpoint: { method: 'POST', path: '/admin/webhooks', created: '/admin/webhooks/{id}' },
  updateWebhookEndpoint: { method: 'PATCH', path: '/admin/webhooks/{endpoint_id}' },
  rotateWebhookSecret: { method: 'POST', path: '/admin/webhooks/{endpoint_id}/rotate' },
  removeWebhookEndpoint: { method: 'DELETE', path: '/admin/webhooks/{endpoint_id}' },
  webhookDeliveries: { method: 'GET', path: '/admin/webhooks/{endpoint_id}/deliveries' },
  resendWebhookDelivery: { method: 'POST', path: '/admin/webhooks/deliveries/{delivery_id}/resend' },
} as const satisfies Routes;

/** What all REST paths begin with: the version of the contract. */
export const basePath = '/api/v1';

/** A path template below the base path as a reference, its parameters filled in. */
export const toReference = (path: string, values: Readonly<Record<string, unknown>>): string =>
  basePath + path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));

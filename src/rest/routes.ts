/** Where a root field of the GraphQL schema stands in REST. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`; parameters in braces, in snake_case. */
  readonly path: `/${string}`;
}

/** Every REST operation: root field → route. A new operation costs one line here and nothing else in this folder. */
export const routes: Readonly<Record<string, Route>> = {
  deactivateApiKey: { method: 'DELETE', path: '/auth/keys/{key_id}' },
  privateKeyStatus: { method: 'GET', path: '/auth/private-key' },
  verifyApiKey: { method: 'POST', path: '/keys/verify' },
  updateAutomationSettings: { method: 'PUT', path: '/automation/settings' },
};

/** What all REST paths begin with: the version of the contract. */
export const basePath = '/api/v1';

import { graphql } from './http.ts';
import type { Operation } from './operation.ts';
import { errorCode, statusAndCode, tokenProbes, whole } from './probes.ts';
import { forgetSettings } from './rest-operations.ts';
import type { World } from './world.ts';

const statusDocument = `query PrivateKeyStatus {
  privateKeyStatus { hasKey createdAt updatedAt }
}`;

const settingsDocument = `mutation UpdateAutomationSettings($isEnabled: Boolean, $sessionDuration: Int) {
  updateAutomationSettings(isEnabled: $isEnabled, sessionDuration: $sessionDuration) {
    isEnabled sessionDuration userId createdAt updatedAt
  }
}`;

const deactivateDocument = `mutation DeactivateApiKey($keyId: Int!) {
  deactivateApiKey(keyId: $keyId) {
    id keyPrefix name createdAt isActive isDefault encryptedKey encryptionVersion
    expiresAt deactivatedAt lastUsedAt
  }
}`;

const statusRequest = (token?: string) => graphql(statusDocument, token);
const settingsRequest = (variables: object, token?: string) => graphql(settingsDocument, token, variables);
const deactivateRequest = (keyId: number, token?: string) => graphql(deactivateDocument, token, { keyId });

/** Settings that differ from those of the user's other tokens, so that each request changes a row. */
const settings = (index: number) => ({
  isEnabled: index % 2 === 0,
  sessionDuration: 600 + (index % 80_000),
});

function status(world: World): Operation {
  const requests = world.tokens.map(({ token }) => statusRequest(token));
  return {
    name: 'graphql-status',
    title: 'GraphQL: private key status (`privateKeyStatus`)',
    on: 'graphql',
    requests,
    probes: [
      ...requests.slice(0, 2).map((request) => ({ name: 'status', request, view: whole() })),
      { name: 'status of a stranger', request: statusRequest(world.stranger), view: whole() },
      ...tokenProbes(world, statusRequest, statusAndCode),
    ],
  };
}

function updateSettings(world: World): Operation {
  const requests = world.tokens.map(({ token }, index) => settingsRequest(settings(index), token));
  const own = world.tokens[0]?.token;
  const part = settingsRequest({ sessionDuration: null }, own);
  const nothing = settingsRequest({}, own);
  return {
    name: 'graphql-settings',
    title: 'GraphQL: change of settings (`updateAutomationSettings`)',
    on: 'graphql',
    requests,
    probes: [
      ...[...requests.slice(0, 2), part, nothing].map((request) => ({
        name: 'settings',
        request,
        view: whole('updatedAt'),
      })),
      {
        name: 'settings of a stranger',
        request: settingsRequest(settings(0), world.stranger),
        view: whole('createdAt', 'updatedAt'),
      },
      { name: 'too short a session', request: settingsRequest({ sessionDuration: 5 }, own), view: errorCode },
      ...tokenProbes(world, (token) => settingsRequest(settings(0), token), statusAndCode),
    ],
    undo: forgetSettings,
  };
}

function deactivate(world: World): Operation {
  const { keysEach } = world.size;
  // Not the key that REST deactivates: the first time is compared as well.
  const requests = world.tokens.map(({ user, token }) => deactivateRequest(user * keysEach - 1, token));
  const own = world.tokens[0]?.token;
  return {
    name: 'graphql-deactivate',
    title: 'GraphQL: deactivation of a key, again and again (`deactivateApiKey`)',
    on: 'graphql',
    requests,
    probes: [
      ...requests.slice(0, 2).map((request) => ({
        name: 'deactivation',
        request,
        view: whole('deactivatedAt'),
      })),
      { name: "another user's key", request: deactivateRequest(2 * keysEach, own), view: errorCode },
      { name: 'a key that does not exist', request: deactivateRequest(2 ** 31 - 1, own), view: errorCode },
      { name: 'too few scopes', request: deactivateRequest(1, world.withoutAdmin), view: errorCode },
      ...tokenProbes(world, (token) => deactivateRequest(1, token), statusAndCode),
    ],
  };
}

/** The three operations as GraphQL. */
export const graphqlOperations = (world: World): Operation[] => [
  status(world),
  updateSettings(world),
  deactivate(world),
];

import { rest } from './http.ts';
import type { Operation } from './operation.ts';
import { statusOnly, tokenProbes, whole } from './probes.ts';
import type { World } from './world.ts';

const statusRequest = (token?: string) => rest('GET', '/auth/private-key', token);
const deactivateRequest = (keyId: number | string, token?: string) =>
  rest('DELETE', `/auth/keys/${keyId}`, token);
const settingsRequest = (body: string, token?: string) => rest('PUT', '/automation/settings', token, body);

/** Settings that differ from those of the user's other tokens, so that each request changes a row. */
const settings = (index: number) =>
  JSON.stringify({ is_enabled: index % 2 === 0, session_duration: 600 + (index % 80_000) });

function status(world: World): Operation {
  const requests = world.tokens.map(({ token }) => statusRequest(token));
  return {
    name: 'rest-status',
    title: 'REST: private key status (`GET /api/v1/auth/private-key`)',
    on: 'rest',
    requests,
    probes: [
      ...requests.slice(0, 2).map((request) => ({ name: 'status', request, view: whole() })),
      { name: 'status of a stranger', request: statusRequest(world.stranger), view: whole() },
      ...tokenProbes(world, statusRequest, whole()),
    ],
  };
}

function updateSettings(world: World): Operation {
  const requests = world.tokens.map(({ token }, index) => settingsRequest(settings(index), token));
  const refused = ['{"session_duration":5}', '{"is_enabled":"yes"}', '[]', '{"is_enabled":'];
  const parts = ['{"session_duration":null}', '{}'].map((body) =>
    settingsRequest(body, world.tokens[0]?.token),
  );
  return {
    name: 'rest-settings',
    title: 'REST: change of settings (`PUT /api/v1/automation/settings`)',
    on: 'rest',
    requests,
    probes: [
      ...[...requests.slice(0, 2), ...parts].map((request) => ({
        name: 'settings',
        request,
        view: whole('updated_at'),
      })),
      {
        name: 'settings of a stranger',
        request: settingsRequest(settings(0), world.stranger),
        view: whole('created_at', 'updated_at'),
      },
      ...refused.map((body) => ({
        name: `the body ${body}`,
        request: settingsRequest(body, world.tokens[0]?.token),
        view: statusOnly,
      })),
      ...tokenProbes(world, (token) => settingsRequest(settings(0), token), whole()),
    ],
  };
}

function deactivate(world: World): Operation {
  const requests = world.tokens.map(({ user, token }) =>
    deactivateRequest(user * world.size.keysEach, token),
  );
  const own = world.tokens[0]?.token;
  return {
    name: 'rest-deactivate',
    title: 'REST: deactivation of a key, again and again (`DELETE /api/v1/auth/keys/{key_id}`)',
    on: 'rest',
    requests,
    probes: [
      ...requests.slice(0, 2).map((request) => ({
        name: 'deactivation',
        request,
        view: whole('deactivated_at'),
      })),
      {
        name: "another user's key",
        request: deactivateRequest(2 * world.size.keysEach, own),
        view: whole(),
      },
      { name: 'a key that does not exist', request: deactivateRequest(2 ** 31 - 1, own), view: whole() },
      { name: 'a key that is no number', request: deactivateRequest('one', own), view: statusOnly },
      { name: 'too few scopes', request: deactivateRequest(1, world.withoutAdmin), view: whole() },
      ...tokenProbes(world, (token) => deactivateRequest(1, token), whole()),
    ],
  };
}

/** The three operations as REST. */
export const restOperations = (world: World): Operation[] => [
  status(world),
  updateSettings(world),
  deactivate(world),
];

import Sqlite from 'better-sqlite3';
import { type HttpRequest, rest } from './http.ts';
import type { Operation } from './operation.ts';
import { statusOnly, tokenProbes, whole } from './probes.ts';
import type { World } from './world.ts';

const statusRequest = (token?: string) => rest('GET', '/auth/private-key', token);
const deactivateRequest = (keyId: number | string, token?: string) =>
  rest('DELETE', `/auth/keys/${keyId}`, token);
const settingsRequest = (body: string, token?: string) => rest('PUT', '/automation/settings', token, body);

/** Settings, which differ from those of the next index. */
const settings = (index: number) =>
  JSON.stringify({ is_enabled: index % 2 === 0, session_duration: 600 + (index % 80_000) });

/** Two rounds of the tokens, with other settings in the second: so each request changes a row. */
const settingsRequests = ({ tokens }: World) =>
  [0, 1].flatMap((round) =>
    tokens.map(({ token }, index) => settingsRequest(settings(index + round), token)),
  );

/** Makes what runs a statement on a server's SQLite file. */
const execute = (statement: string) => (databaseFile: string) => {
  // The server may hold the lock for a moment.
  const database = new Sqlite(databaseFile, { timeout: 5000 });
  database.exec(statement);
  database.close();
};

const activateKeys = execute(
  'update api_key set is_active = true, deactivated_at = null where not is_active',
);

/** So that settings differ from the next ones, whichever were the last. */
export const forgetSettings = execute(
  'update automation_settings set is_enabled = null, session_duration = null',
);

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
  const requests = settingsRequests(world);
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
    undo: forgetSettings,
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

/** The keys of a user that are deactivated for the first time: neither the default, nor those of other operations. */
const freshKeys = (world: World): HttpRequest[] => {
  const { users, keysEach } = world.size;
  const requests: HttpRequest[] = [];
  for (let place = 2; place < keysEach - 1; place += 1)
    for (const { user, token } of world.tokens.slice(0, users))
      requests.push(deactivateRequest((user - 1) * keysEach + place, token));
  return requests;
};

/** The first deactivation of each of many keys: a change, with its audit event. */
export function deactivateOnce(world: World): Operation {
  const requests = freshKeys(world);
  return {
    name: 'rest-deactivate-once',
    title: 'REST: deactivation of a key, of each key once (`DELETE /api/v1/auth/keys/{key_id}`)',
    on: 'rest',
    requests,
    probes: requests.slice(0, 2).map((request) => ({
      name: 'deactivation',
      request,
      view: whole('deactivated_at'),
    })),
    undo: activateKeys,
  };
}

/** The three operations as REST. */
export const restOperations = (world: World): Operation[] => [
  status(world),
  updateSettings(world),
  deactivate(world),
];

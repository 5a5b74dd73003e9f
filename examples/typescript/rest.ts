// Calls Keyward's REST API, with types: KEYWARD_TOKEN=… node examples/typescript/rest.ts
import { explain } from './keyward-error.ts';
import { createRestClient, dataOf, listApiKeys } from './rest-client.ts';

const { KEYWARD_URL = 'http://127.0.0.1:4000', KEYWARD_TOKEN = '' } = process.env;
const rest = createRestClient(KEYWARD_URL, KEYWARD_TOKEN);

async function manageKeys() {
  const body = { name: 'Example with REST', metadata: { team: 'search', cost_center: 4711 } };
  const created = dataOf(await rest.POST('/api/v1/auth/keys', { body }));
  // The secret is in `created.key` and nowhere else. It is not printed: keep it like a password.
  console.log(
    `Made the API key ${created.id}, ${created.key_prefix}…, for the team ${created.metadata?.['team']}`,
  );

  for await (const { id, name } of listApiKeys(rest)) console.log(`  ${id} ${name ?? '(no name)'}`);

  const params = { path: { key_id: created.id } };
  const deactivated = dataOf(await rest.DELETE('/api/v1/auth/keys/{key_id}', { params }));
  console.log(`Deactivated the API key ${deactivated.id} at ${deactivated.deactivated_at}`);
  return params;
}

async function changeSettings() {
  const body = { is_enabled: true, session_duration: 3600 };
  const settings = dataOf(await rest.PUT('/api/v1/automation/settings', { body }));
  console.log(
    `Automation is ${settings.is_enabled ? 'on' : 'off'}, in sessions of ${settings.session_duration} s`,
  );
}

/** openapi-fetch returns errors as values; `dataOf` throws them. */
async function beRefused(params: { path: { key_id: number } }) {
  const refusals = [
    await rest.GET('/api/v1/auth/keys/{key_id}', { params: { path: { key_id: 2_147_483_647 } } }),
    await rest.PUT('/api/v1/auth/keys/{key_id}/default', { params }),
    await rest.PUT('/api/v1/automation/settings', { body: { session_duration: 1 } }),
  ];
  for (const { response, error } of refusals) console.log(response.status, JSON.stringify(error?.detail));
}

try {
  const params = await manageKeys();
  await changeSettings();
  await beRefused(params);
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

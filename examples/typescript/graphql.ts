// Calls Keyward's GraphQL API, with types: KEYWARD_TOKEN=… node examples/typescript/graphql.ts
import type { ResultOf } from 'gql.tada';
import { createGraphqlClient, type GraphqlClient, graphql } from './graphql-client.ts';
import { explain } from './keyward-error.ts';

const { KEYWARD_URL = 'http://127.0.0.1:4000', KEYWARD_TOKEN = '' } = process.env;
const client = createGraphqlClient(KEYWARD_URL, KEYWARD_TOKEN);

const CreateApiKey = graphql(`
  mutation CreateApiKey($name: String) {
    createApiKey(name: $name) { apiKey { id keyPrefix } key }
  }
`);

const ActiveApiKeys = graphql(`
  query ActiveApiKeys($after: String) {
    apiKeys(first: 2, after: $after, isActive: true) {
      edges { node { id name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const DeactivateApiKey = graphql(`
  mutation DeactivateApiKey($keyId: Int!) {
    deactivateApiKey(keyId: $keyId) { id deactivatedAt }
  }
`);

const UpdateAutomationSettings = graphql(`
  mutation UpdateAutomationSettings($isEnabled: Boolean, $sessionDuration: Int) {
    updateAutomationSettings(isEnabled: $isEnabled, sessionDuration: $sessionDuration) { isEnabled sessionDuration }
  }
`);

const SetDefaultApiKey = graphql(`
  mutation SetDefaultApiKey($keyId: Int!) {
    setDefaultApiKey(keyId: $keyId) { id }
  }
`);

/** Your active API keys, newest first, from all pages. */
async function* listApiKeys({ send }: GraphqlClient) {
  let after: string | null = null;
  do {
    const { apiKeys }: ResultOf<typeof ActiveApiKeys> = await send(ActiveApiKeys, { after });
    for (const { node } of apiKeys.edges) yield node;
    after = apiKeys.pageInfo.hasNextPage ? apiKeys.pageInfo.endCursor : null;
  } while (after);
}

async function manageKeys() {
  const { createApiKey: made } = await client.send(CreateApiKey, { name: 'Example with GraphQL' });
  const { apiKey: created } = made;
  // The secret is in `made.key` and nowhere else. It is not printed: keep it like a password.
  console.log(`Made the API key ${created.id}, ${created.keyPrefix}…`);

  for await (const { id, name } of listApiKeys(client)) console.log(`  ${id} ${name ?? '(no name)'}`);

  // A second request does no harm, so the client sends it again if no response comes.
  const { deactivateApiKey: key } = await client.send(DeactivateApiKey, { keyId: created.id }, true);
  console.log(`Deactivated the API key ${key.id} at ${key.deactivatedAt}`);
  return key.id;
}

async function changeSettings() {
  const { updateAutomationSettings: settings } = await client.send(
    UpdateAutomationSettings,
    { isEnabled: true, sessionDuration: 3600 },
    true,
  );
  console.log(
    `Automation is ${settings.isEnabled ? 'on' : 'off'}, in sessions of ${settings.sessionDuration} s`,
  );
}

async function beRefused(inactiveKey: number) {
  const refused = [
    client.send(DeactivateApiKey, { keyId: 2_147_483_647 }),
    client.send(SetDefaultApiKey, { keyId: inactiveKey }),
    client.send(UpdateAutomationSettings, { sessionDuration: 1 }),
  ];
  const reasons = await Promise.all(refused.map((call) => call.then(() => 'Not refused', explain)));
  for (const reason of reasons) console.log(reason);
}

try {
  const inactiveKey = await manageKeys();
  await changeSettings();
  await beRefused(inactiveKey);
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

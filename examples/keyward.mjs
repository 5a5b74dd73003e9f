// Keyward's REST by the fetch of Node, with no packages: the status of the private key, the automation settings, an
// API key made and deactivated, and two refusals.
//
//   KEYWARD_TOKEN=… node examples/keyward.mjs

const { KEYWARD_URL = 'http://127.0.0.1:4000', KEYWARD_TOKEN } = process.env;
if (!KEYWARD_TOKEN) throw new Error('KEYWARD_TOKEN is missing: an access token of your identity provider');

/** Why Keyward refused: one sentence, or one for each faulty input. */
const reasonOf = ({ detail }) =>
  typeof detail === 'string' ? detail : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join(' ');

/** One call; what comes out is what Keyward answers, and an error says why it refused. */
async function call(method, path, body) {
  const response = await fetch(`${KEYWARD_URL}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${KEYWARD_TOKEN}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const answer = await response.json();
  if (response.ok) return answer;
  throw new Error(`${response.status} ${reasonOf(answer)}`);
}

const privateKey = await call('GET', '/auth/private-key');
console.log(privateKey.has_key ? `A private key since ${privateKey.created_at}` : 'No private key');

const settings = await call('PUT', '/automation/settings', { is_enabled: true, session_duration: 3600 });
console.log(
  `Automation is ${settings.is_enabled ? 'on' : 'off'}, in sessions of ${settings.session_duration} s`,
);

// The secret is in `created.key` and nowhere else. It is not printed: keep yours as you keep a password.
const created = await call('POST', '/auth/keys', { name: 'Example with JavaScript' });
console.log(`Made the API key ${created.id}, ${created.key_prefix}…`);
const deactivated = await call('DELETE', `/auth/keys/${created.id}`);
console.log(`Deactivated the API key ${deactivated.id} at ${deactivated.deactivated_at}`);

for (const [method, path, body] of [
  ['DELETE', '/auth/keys/2147483647'],
  ['PUT', '/automation/settings', { session_duration: 1 }],
]) {
  const refusal = await call(method, path, body).catch((error) => error.message);
  console.log(`${method} ${path}: ${refusal}`);
}

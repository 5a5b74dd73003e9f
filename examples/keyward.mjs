// Calls Keyward's REST API with Node's fetch, without packages. It creates an API key, verifies it, deactivates it and
// verifies it again. Then it reads the private key's status, changes the automation settings, and shows two errors.
//
//   KEYWARD_TOKEN=… KEYWARD_SERVER_SECRET=… node examples/keyward.mjs

const { KEYWARD_URL = 'http://127.0.0.1:4000', KEYWARD_TOKEN, KEYWARD_SERVER_SECRET } = process.env;
if (!KEYWARD_TOKEN) throw new Error('KEYWARD_TOKEN is missing: the access token of a person');
if (!KEYWARD_SERVER_SECRET)
  throw new Error('KEYWARD_SERVER_SECRET is missing: of a server with the scope keys.verify');

/** Why Keyward refused: one sentence, or one for each faulty input. */
const reasonOf = ({ detail }) =>
  typeof detail === 'string' ? detail : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join(' ');

/** Makes one call and returns the response's body. Throws an error that says why Keyward refused the call. */
async function call(method, path, body, token = KEYWARD_TOKEN) {
  const response = await fetch(`${KEYWARD_URL}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const answer = await response.json();
  if (response.ok) return answer;
  throw new Error(`${response.status} ${reasonOf(answer)}`);
}

/** What a provider's server does with a key that a client has sent. */
async function verify(key) {
  const { valid, reason } = await call('POST', '/keys/verify', { key }, KEYWARD_SERVER_SECRET);
  console.log(valid ? 'The key is valid' : `The key is not valid: ${reason}`);
}

// The secret is in `created.key` and nowhere else. It is not printed: keep it like a password.
const created = await call('POST', '/auth/keys', { name: 'Example with JavaScript' });
console.log(`Made the API key ${created.id}, ${created.key_prefix}…`);
await verify(created.key);
const deactivated = await call('DELETE', `/auth/keys/${created.id}`);
console.log(`Deactivated the API key ${deactivated.id} at ${deactivated.deactivated_at}`);
await verify(created.key);

const privateKey = await call('GET', '/auth/private-key');
console.log(privateKey.has_key ? `A private key since ${privateKey.created_at}` : 'No private key');

const settings = await call('PUT', '/automation/settings', { is_enabled: true, session_duration: 3600 });
console.log(
  `Automation is ${settings.is_enabled ? 'on' : 'off'}, in sessions of ${settings.session_duration} s`,
);

for (const [method, path, body] of [
  ['DELETE', '/auth/keys/2147483647'],
  ['PUT', '/automation/settings', { session_duration: 1 }],
]) {
  const refusal = await call(method, path, body).catch((error) => error.message);
  console.log(`${method} ${path}: ${refusal}`);
}

// A provider's own dashboard: it shows a customer their API keys and makes new ones, with a secret of the provider's.
//
//   KEYWARD_SERVER_SECRET=… node examples/typescript/act-for-customers.ts ISSUER SUBJECT
const { KEYWARD_URL = 'http://127.0.0.1:4000', KEYWARD_SERVER_SECRET = '' } = process.env;
const [issuer = '', subject = ''] = process.argv.slice(2);

/** Asks Keyward for something that belongs to an account. */
async function keyward<Answer>(
  method: string,
  path: string,
  body?: object,
  account?: number,
): Promise<Answer> {
  const headers = new Headers({ authorization: `Bearer ${KEYWARD_SERVER_SECRET}` });
  if (account !== undefined) headers.set('keyward-account', `${account}`);
  if (body) headers.set('content-type', 'application/json');
  const init = body ? { method, headers, body: JSON.stringify(body) } : { method, headers };
  const answer = await fetch(`${KEYWARD_URL}/api/v1${path}`, init);
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

// The customer who is signed in to the dashboard. You can store the account's id with the customer.
const { user_id } = await keyward<{ user_id: number }>('PUT', '/admin/accounts', { issuer, subject });
const made = await keyward<{ id: number; key: string }>('POST', '/auth/keys', { name: 'Website' }, user_id);
console.log(`Show ${subject} this secret once: ${made.key}`);
for (const key of await keyward<{ id: number; name: string | null }[]>(
  'GET',
  '/auth/keys',
  undefined,
  user_id,
))
  console.log(`${key.id} ${key.name}`);

// Verification of API keys by better-auth's plugin, behind node:http, as a provider's server would ask it. The plugin is
// as it comes, but for the limit of ten uses a day, which would refuse the load. It writes a line of each key that it has
// made to KEYS_FILE.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { apiKey } from '@better-auth/api-key';
import Sqlite from 'better-sqlite3';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { readEnvironment } from './environment.ts';

const { port, databaseFile } = readEnvironment();
const count = Number(process.env['KEYS'] ?? 1);

// Its tables have names of Keyward's.
const database = new Sqlite(`${databaseFile}.better-auth`);
database.pragma('journal_mode = wal');

const auth = betterAuth({
  baseURL: `http://127.0.0.1:${port}`,
  secret: 'of this measurement alone, 32 characters and more',
  database,
  emailAndPassword: { enabled: true },
  logger: { disabled: true },
  plugins: [apiKey({ rateLimit: { enabled: false } })],
});
await (await getMigrations(auth.options)).runMigrations();

const { user } = await auth.api.signUpEmail({
  body: { email: 'user@example.com', password: 'correct horse', name: 'User' },
});
const keys: string[] = [];
while (keys.length < count)
  keys.push((await auth.api.createApiKey({ body: { userId: user.id, name: 'Laptop' } })).key);
writeFileSync(process.env['KEYS_FILE'] ?? '/dev/null', keys.join('\n'));

createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(404).end();
  const body = JSON.stringify(await auth.api.verifyApiKey({ body: JSON.parse(await text(request)) }));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  return response.end(body);
}).listen(port, '127.0.0.1');

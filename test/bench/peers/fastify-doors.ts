// Verification of API keys with Fastify: on SQLite by better-sqlite3, on PostgreSQL by pg.

import { addDoors } from './doors.ts';
import { readEnvironment } from './environment.ts';
import { createApp, requiring } from './fastify-app.ts';
import { openPostgresSecrets } from './postgres-secrets.ts';
import { openSqliteSecrets } from './sqlite-secrets.ts';
import { createVerify } from './verify-secret.ts';

const environment = readEnvironment();
const { databaseUrl, databaseFile, pepper, port } = environment;
const secrets = databaseUrl.startsWith('sqlite:')
  ? openSqliteSecrets(databaseFile)
  : openPostgresSecrets(databaseUrl);
const app = await createApp(environment);
addDoors(app, createVerify(secrets, pepper), requiring);
await app.listen({ port, host: '127.0.0.1' });

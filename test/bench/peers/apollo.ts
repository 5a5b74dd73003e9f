// Apollo Server with Keyward's own entities: what most would build with the same ORM. GraphQL alone.
import { randomUUID } from 'node:crypto';
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { MikroORM } from '@mikro-orm/core';
import { SqliteDriver } from '@mikro-orm/sqlite';
import { GraphQLError } from 'graphql';
import { Account, ApiKey, AuditEvent, AutomationSettings, PrivateKey } from '../../../src/database/tables.ts';
import { AccessTokens } from './access-tokens.ts';
import { type Context, resolvers } from './apollo-resolvers.ts';
import { readEnvironment } from './environment.ts';
import { typeDefs } from './graphql-schema.ts';
import { Refusal } from './refusal.ts';
import { standardHeaders } from './standard-headers.ts';

const { port, databaseFile, issuer, audience } = readEnvironment();
const orm = await MikroORM.init({
  driver: SqliteDriver,
  dbName: databaseFile,
  entities: [Account, ApiKey, AuditEvent, PrivateKey, AutomationSettings],
});
for (const pragma of ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on'])
  await orm.em.getConnection().execute(`pragma ${pragma}`);
const tokens = await AccessTokens.open(issuer, audience);

const asGraphQLError = (error: unknown) =>
  error instanceof Refusal
    ? new GraphQLError(error.message, { extensions: { code: error.code, http: { status: error.status } } })
    : error;

async function authenticate(authorization: string | undefined) {
  try {
    return await tokens.authenticate(authorization);
  } catch (error) {
    throw asGraphQLError(error);
  }
}

const headers: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    willSendResponse: async ({ response, contextValue: { source } }) => {
      for (const [name, value] of Object.entries(standardHeaders(source.id)))
        response.http.headers.set(name, value);
    },
  }),
};

const server = new ApolloServer<Context>({
  typeDefs,
  resolvers: resolvers(asGraphQLError),
  plugins: [headers],
});
await startStandaloneServer(server, {
  listen: { port, host: '127.0.0.1' },
  context: async ({ req }) => ({
    caller: await authenticate(req.headers.authorization),
    em: orm.em.fork(),
    source: { id: randomUUID(), address: req.socket.remoteAddress ?? null },
  }),
});

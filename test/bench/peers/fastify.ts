// Fastify as its documentation has it: @fastify/jwt with its cache, response schemas, Mercurius with its compiler, or without.
import { readEnvironment } from './environment.ts';
import { authenticate, createApp, requiring } from './fastify-app.ts';
import { graphql } from './fastify-graphql.ts';
import { addRest } from './fastify-rest.ts';
import { openStore } from './store.ts';

const environment = readEnvironment();
const store = openStore(environment.databaseFile);
const app = await createApp(environment);
addRest(app, store, requiring);
await app.register(graphql, { store, authenticate, jit: environment.mercuriusJit });
await app.listen({ port: environment.port, host: '127.0.0.1' });

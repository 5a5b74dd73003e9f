import { ApolloClient, gql, HttpLink } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import {
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  type GraphQLResponse,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { apolloCache, relayDataId, urqlCache } from '../../examples/typescript/caches.ts';
import { schema } from '../../src/gateway/schema.ts';
import { relayRequest } from '../support/relay-request.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const url = 'http://keyward.test/graphql';
const query = `query Everything {
  apiKeys(first: 10) { edges { node { id name isActive keyPrefix } cursor } pageInfo { hasNextPage endCursor } }
  apiKey(keyId: 1) { id name isActive keyPrefix }
  automationSettings { isEnabled sessionDuration }
  privateKeyStatus { hasKey createdAt }
  auditEvents(first: 10) { edges { node { id action } cursor } pageInfo { hasNextPage endCursor } }
}`;
const mutations = {
  rename: 'mutation Rename { updateApiKey(keyId: 1, name: "Desk") { id name } }',
  rotate: 'mutation Rotate { rotateApiKey(keyId: 1) { apiKey { id keyPrefix } key } }',
  settings: 'mutation Set { updateAutomationSettings(isEnabled: false) { isEnabled sessionDuration } }',
  register: `mutation Register { registerPrivateKey(privateKey: "${'ab'.repeat(32)}") { hasKey createdAt } }`,
  deactivate: 'mutation End { deactivateApiKey(keyId: 1) { id isActive } }',
};

/** Calls the gateway as a client would call a server. */
let send: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
beforeEach(async () => {
  const token = await setup.sign();
  await setup.gateway.rest('POST', '/auth/keys', { token, json: { name: 'Laptop' } });
  await setup.gateway.rest('PUT', '/automation/settings', { token, json: { is_enabled: true } });
  send = async (input, init) => {
    const request = new Request(input, init);
    request.headers.set('authorization', `Bearer ${token}`);
    return setup.gateway.gateway.fetch(request);
  };
});

/** A client with a cache: what it reads from its cache alone after the first time, and how it changes something. */
interface CachingClient {
  read(): Promise<unknown>;
  readCache(): unknown;
  change(mutation: string): Promise<unknown>;
}

const withoutTypes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, inner) => (name === '__typename' ? undefined : inner)));

const apollo = (): CachingClient => {
  const client = new ApolloClient({ cache: apolloCache(), link: new HttpLink({ uri: url, fetch: send }) });
  return {
    read: async () => (await client.query({ query: gql(query) })).data,
    readCache: () => client.readQuery({ query: gql(query) }),
    change: async (mutation) => (await client.mutate({ mutation: gql(mutation) })).data,
  };
};

const urql = (): CachingClient => {
  const client = new Client({
    url,
    fetch: send,
    preferGetMethod: false,
    exchanges: [urqlCache(), fetchExchange],
  });
  return {
    read: async () => (await client.query(query, {}).toPromise()).data,
    readCache: () => client.readQuery(query, {}, { requestPolicy: 'cache-only' })?.data,
    change: async (mutation) => (await client.mutation(mutation, {}).toPromise()).data,
  };
};

const relay = (): CachingClient => {
  const environment = new Environment({
    store: new Store(new RecordSource()),
    getDataID: relayDataId,
    network: Network.create(async ({ text }, variables) => {
      const body = JSON.stringify({ query: text, variables });
      const answer = await send(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      return (await answer.json()) as GraphQLResponse;
    }),
  });
  const request = relayRequest(query, schema);
  return {
    read: () => fetchQuery(environment, request, {}).toPromise(),
    readCache: () => environment.lookup(createOperationDescriptor(request, {}).fragment).data,
    change: (text) =>
      new Promise((onCompleted, onError) => {
        commitMutation(environment, {
          mutation: relayRequest(text, schema),
          variables: {},
          onCompleted,
          onError,
        });
      }),
  };
};

describe.each([
  ['Apollo Client', apollo],
  ['urql with Graphcache', urql],
  ['Relay', relay],
])('%s', (_name, create) => {
  it('is up to date after each mutation, without another query', async () => {
    const client = create();
    await client.read();
    for (const [name, mutation] of Object.entries(mutations)) {
      expect(await client.change(mutation), name).toBeTruthy();
      const { auditEvents: _before, ...cached } = withoutTypes(client.readCache()) as Record<string, unknown>;
      const { auditEvents: _now, ...stored } = withoutTypes(await create().read()) as Record<string, unknown>;
      expect(cached, name).toEqual(stored);
    }
    expect(client.readCache()).toMatchObject({
      apiKeys: { edges: [{ node: { name: 'Desk', isActive: false } }] },
      automationSettings: { isEnabled: false },
      privateKeyStatus: { hasKey: true },
    });
  });

  it('a key and an audit event with the same id → kept apart', async () => {
    const client = create();
    await client.read();
    expect(client.readCache()).toMatchObject({
      apiKey: { id: 1, name: 'Laptop' },
      auditEvents: { edges: [{}, {}, { node: { id: 1, action: 'account-created' } }] },
    });
  });
});

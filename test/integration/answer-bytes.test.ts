import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  ValidationContext,
} from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';
import { verificationFailures } from '../../src/api-keys/verify/verify-secret.ts';
import { webhookTypes } from '../../src/config/values/webhook-events.ts';
import { Db } from '../../src/database/db.ts';
import type { AccountId } from '../../src/database/tables.ts';
import { schema } from '../../src/gateway/schema.ts';
import { costOf } from '../../src/graphql/document-cost.ts';
import { factsOf, ordinaryBytes } from '../../src/graphql/field-facts.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { heaviestEvent, heaviestParts, heaviestText } from '../support/heaviest-account.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const types = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith('__'));

const fields = types.flatMap((type) =>
  Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const),
);

const isList = ({ type }: GraphQLField<unknown, unknown>) => isListType(getNullableType(type));

describe('each field', () => {
  /** Words of fixed lists, and cursors. */
  const words = [
    'UsageCount.outcome',
    'ApiKeyVerification.reason',
    'AuditChange.field',
    'AuditEvent.action',
    'AuditEvent.actor',
    'WebhookDelivery.type',
    'FullWebhookDelivery.type',
  ];
  const isText = (field: GraphQLField<unknown, unknown>) => {
    const named = getNamedType(field.type);
    return isScalarType(named) && (isList(field) || !['Int', 'Boolean', 'DateTime'].includes(named.name));
  };

  it('of a text, a list of values or JSON declares its most bytes, unless it is an enum', () => {
    const silent = fields
      .filter(([, field]) => isText(field) && factsOf(field).mostBytes === undefined)
      .map(([name]) => name)
      .filter((name) => !/cursor$/i.test(name));
    expect(silent.toSorted()).toEqual(words.toSorted());
  });

  it('of a list of objects declares how many there can be, unless it is a page', () => {
    const silent = fields
      .filter(([, field]) => isList(field) && isObjectType(getNamedType(field.type)))
      .filter(([, field]) => factsOf(field).atMost === undefined)
      .map(([name]) => name);
    expect(silent.filter((name) => !name.endsWith('Connection.edges'))).toEqual([]);
  });

  it('of an enum has values as short as other values', () => {
    const known = [...verificationFailures, ...webhookTypes, ...types.map(({ name }) => name)];
    expect(Math.max(...known.map((word) => JSON.stringify(word).length))).toBeLessThanOrEqual(ordinaryBytes);
  });
});

/** Selects all fields of a type, each `copies` times. */
const everything = (type: GraphQLObjectType, copies = 1): string => {
  const inner = Object.values(type.getFields()).flatMap((field) => {
    const named = getNamedType(field.type);
    const set = isObjectType(named) ? ` ${everything(named)}` : '';
    const more = Array.from(
      { length: copies - 1 },
      (_, nth) => `copy${nth}_${field.name}: ${field.name}${set}`,
    );
    return [`${field.name}${set}`, ...more];
  });
  return `{ ${inner.join(' ')} }`;
};

const cost = (query: string): number => {
  const document = parse(query);
  const context = new ValidationContext(schema, document, new TypeInfo(schema), () => {});
  const [operation] = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return costOf(operation as OperationDefinitionNode, context, Number.POSITIVE_INFINITY);
};

/** Lists, with the arguments that they need. */
const pages: Readonly<Record<string, string>> = {
  apiKeys: '',
  accountApiKeys: 'id: 1, ',
  accountAuditEvents: 'id: 1, ',
  accounts: '',
  auditEvents: '',
  webhookEndpoints: '',
  webhookDeliveries: 'endpointId: 1, ',
};

const nodeOf = (page: string): GraphQLObjectType => {
  const connection = getNamedType(schema.getQueryType()?.getFields()[page]?.type);
  const edge = isObjectType(connection) && getNamedType(connection.getFields()['edges']?.type);
  return getNamedType(isObjectType(edge) ? edge.getFields()['node']?.type : undefined) as GraphQLObjectType;
};

const scope = 'openid email profile idp.signin.user.admin keyward.admin';

describe('an answer', () => {
  let gateway: TestGateway;
  beforeEach(async () => {
    const documents = { tokens: 10_000, depth: 20, aliases: 1000, directives: 1, cost: 1e9 };
    gateway = await createTestGateway(setup.issuer, { documents });
    await fill(gateway);
    return () => gateway[Symbol.asyncDispose]();
  });

  const ask = async (query: string) => {
    const token = await setup.sign({ scope });
    const { text, body } = await gateway.graphql(query, { token });
    expect(body.errors, query.slice(0, 2000)).toBeUndefined();
    return { bytes: Buffer.byteLength(text), most: 400 * cost(query) };
  };

  it.each(Object.entries(pages))('has at most 400 bytes per unit of cost: %s', async (page, given) => {
    const all = everything(nodeOf(page));
    const long = 'l'.repeat(198);
    const queries = [1, 3, 40, 100].flatMap((first) => [
      `{ ${page}(${given}first: ${first}) { edges { cursor node ${all} } pageInfo { hasNextPage endCursor } } }`,
      `{ ${page}(${given}last: ${first}) { edges { node ${all} } } }`,
      `{ ${page}(${given}first: ${first}) { edges { node ${all} more: node ${all} } } }`,
      `{ ${page}(${given}first: ${first}) { edges { node ${everything(nodeOf(page), 4)} } } }`,
      `{ ${page}(${given}first: ${first}) { edges { node { ${long}: id ${long}2: __typename } } } }`,
      `{ a: ${page}(${given}first: ${first}) { ...F } b: ${page}(${given}first: ${first}) { ...F } }
       fragment F on ${getNamedType(schema.getQueryType()?.getFields()[page]?.type)?.name} { edges { node ${all} } }`,
    ]);
    for (const query of queries) {
      const { bytes, most } = await ask(query);
      expect(bytes, query).toBeLessThanOrEqual(most);
    }
  });

  it.each([
    ['apiKeys', 'permissions metadata allowedAddresses name'],
    ['accounts', 'subject blockReason'],
  ])('has a cost close to its greatest size: %s', async (page, texts) => {
    const { bytes, most } = await ask(`{ ${page}(first: 100) { edges { node { ${texts} } } } }`);
    expect(most).toBeLessThan(1.8 * bytes);
  });

  it('has at most 400 bytes per unit of cost: verifications by hour and outcome', async () => {
    const range = 'from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z", by: HOUR';
    for (const name of ['count', `${'l'.repeat(198)}: count`]) {
      const { bytes, most } = await ask(`{ apiKeysUsage(${range}) { counts { at outcome ${name} } } }`);
      expect(bytes).toBeGreaterThan(500_000);
      expect(bytes).toBeLessThanOrEqual(most);
    }
  });

  it('has at most 400 bytes per unit of cost: one record', async () => {
    const queries = [
      `{ apiKey(keyId: 1) ${everything(nodeOf('apiKeys'))} }`,
      `{ account(id: 1) ${everything(nodeOf('accounts'))} }`,
      `mutation { findApiKey(keyPrefix: "sk-a1b2c3") ${everything(schema.getType('FoundApiKey') as GraphQLObjectType)} }`,
      '{ __typename privateKeyStatus { hasKey } automationSettings { userId } }',
    ];
    for (const query of queries) {
      const { bytes, most } = await ask(query);
      expect(bytes, query).toBeLessThanOrEqual(most + 400);
    }
  });
});

describe('within the default limits', () => {
  const keys = (first: number) =>
    `apiKeys(first: ${first}) { edges { node { permissions metadata allowedAddresses name } } }`;
  const copies = (count: number, text: string) =>
    `{ ${Array.from({ length: count }, (_, nth) => `a${nth}: ${text}`).join(' ')} }`;

  it('no document gets an answer of more than 2 MiB', async () => {
    await fill(setup.gateway);
    const token = await setup.sign({ scope });
    const answered: number[] = [];
    for (const query of [1, 2, 3, 4, 5, 8, 10].map((count) => copies(count, keys(100)))) {
      const { status, text, body } = await setup.gateway.graphql(query, { token });
      if (status === 200) answered.push(Buffer.byteLength(text));
      else expect(body.errors[0].message).toMatch(/^The document has more than 5000 values/);
    }
    expect(answered.length).toBeGreaterThanOrEqual(3);
    expect(answered.length).toBeLessThan(6);
    expect(Math.max(...answered)).toBeLessThan(2 * 1024 * 1024);
  });
});

/** Gives an account as much as the rules allow of everything that lists show. */
async function fill(gateway: TestGateway): Promise<void> {
  const { kysely } = new Db(gateway.database.em);
  const account = (await gateway.createAccount('alice')) as AccountId;
  const created_at = new Date();
  const key = { ...heaviestParts, account_id: account, key_prefix: 'sk-a1b2c3', created_at };
  await kysely
    .insertInto('api_key')
    .values(Array(110).fill({ ...key, encrypted_key: 'e'.repeat(1600) }))
    .execute();
  const events = Array(110).fill({ ...heaviestEvent, account_id: account, created_at });
  await kysely.insertInto('audit_event').values(events).execute();
  const accounts = Array.from({ length: 110 }, (_, nth) => ({
    issuer: 'https://id.example.com',
    subject: heaviestText(252) + `${nth}`.padStart(3, '0'),
    block_reason: heaviestText(500),
    created_at,
  }));
  await kysely.insertInto('account').values(accounts).execute();
  const endpoints = Array.from({ length: 32 }, (_, nth) => ({
    url: `https://hooks.example.com/${nth}`.padEnd(2000, 'x'),
    events: JSON.stringify(webhookTypes),
    created_at,
  }));
  await kysely.insertInto('webhook_endpoint').values(endpoints).execute();
  await createUses(gateway, account);
}

/** The verifications of an account by each hour of a month, with each outcome. */
async function createUses(gateway: TestGateway, account: AccountId): Promise<void> {
  const { kysely } = new Db(gateway.database.em);
  for (const outcome of ['valid', ...verificationFailures]) {
    const uses = Array.from({ length: 744 }, (_, hour) => ({
      account_id: account,
      hour: new Date(Date.UTC(2026, 0, 1, hour)),
      outcome,
      count: 2 ** 31,
    }));
    await kysely.insertInto('account_use').values(uses).execute();
  }
}

import { readFileSync } from 'node:fs';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { openApiText, sdlText } from '../../src/dev/contracts.ts';
import { routes } from '../../src/rest/routes.ts';
import { schema } from '../../src/schema.ts';

const signedIn = ['openid', 'email', 'profile'];

/** Section 5 of the specification: the route and the scopes of each operation. */
const admin = ['idp.signin.user.admin', ...signedIn];

const specified = {
  createApiKey: ['POST /auth/keys', admin],
  apiKeys: ['GET /auth/keys', signedIn],
  apiKey: ['GET /auth/keys/{key_id}', signedIn],
  renameApiKey: ['PATCH /auth/keys/{key_id}', admin],
  deactivateApiKey: ['DELETE /auth/keys/{key_id}', admin],
  rotateApiKey: ['POST /auth/keys/{key_id}/rotate', admin],
  defaultApiKey: ['GET /auth/keys/default', signedIn],
  setDefaultApiKey: ['PUT /auth/keys/{key_id}/default', admin],
  privateKeyStatus: ['GET /auth/private-key', signedIn],
  registerPrivateKey: ['POST /auth/private-key', admin],
  removePrivateKey: ['DELETE /auth/private-key', admin],
  automationSettings: ['GET /automation/settings', signedIn],
  updateAutomationSettings: ['PUT /automation/settings', signedIn],
  auditEvents: ['GET /audit-events', signedIn],
  verifyApiKey: ['POST /keys/verify', ['keys.verify']],
} as const;

const rootTypes = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
const rootFields = rootTypes.flatMap((type) => Object.values(type?.getFields() ?? {}));

type Described = readonly [place: string, description: string | null | undefined];

const ownTypes = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !(isScalarType(type) && isSpecifiedScalarType(type)),
);

const argumentsOf = (place: string, args: readonly GraphQLArgument[]): Described[] =>
  args.map(({ name, description }) => [`${place}(${name})`, description]);

const membersOf = (type: GraphQLNamedType): Described[] => {
  if (isEnumType(type)) return type.getValues().map((value) => [`${type}.${value.name}`, value.description]);
  if (!isObjectType(type) && !isInputObjectType(type)) return [];
  const fields = Object.values(type.getFields()) as Partial<GraphQLField<unknown, unknown>>[];
  return fields.flatMap(({ name, description, args = [] }) => [
    [`${type}.${name}`, description] as const,
    ...argumentsOf(`${type}.${name}`, args),
  ]);
};

const described: Described[] = ownTypes.flatMap((type) => [
  [type.name, type.description] as const,
  ...membersOf(type),
]);

describe('the published contracts', () => {
  it.each([
    ['schema/schema.graphql', sdlText],
    ['schema/openapi.json', openApiText],
  ])('%s is what the sources say', (file, print) => {
    expect(readFileSync(file, 'utf8'), `${file} is out of date: run npm run schema`).toBe(print());
  });
});

describe('descriptions', () => {
  it.each(described)('%s has one', (_place, description) => {
    expect(description).toMatch(/^[A-Z].*\.$/);
  });

  it('are looked for in every place', () => {
    expect(described.map(([place]) => place)).toEqual(
      expect.arrayContaining(['ApiKey', 'ApiKey.keyPrefix', 'Query.privateKeyStatus', 'DateTime']),
    );
    expect(described.map(([place]) => place)).toContain('Mutation.updateAutomationSettings(isEnabled)');
  });
});

describe('root fields', () => {
  it('are those of the specification', () => {
    expect(rootFields.map(({ name }) => name).sort()).toEqual(Object.keys(specified).sort());
  });

  it.each(Object.entries(specified))('%s has its route, once, and its scopes', (name, [route, scopes]) => {
    const field = rootFields.find((candidate) => candidate.name === name);
    expect(field?.extensions['requiredScopes']).toEqual(scopes);
    const places = Object.entries(routes).filter(([key]) => key === name);
    expect(places.map(([, { method, path }]) => `${method} ${path}`)).toEqual([route]);
  });

  it('and routes are the same things, and no two share a place', () => {
    expect(Object.keys(routes).sort()).toEqual(rootFields.map(({ name }) => name).sort());
    const places = Object.values(routes).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(places).size).toBe(places.length);
  });
});

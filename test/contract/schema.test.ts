import { globSync, readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/dev/contracts.ts';
import { schemaFaults } from '../../src/dev/schema-faults.ts';
import { schema } from '../../src/gateway/schema.ts';
import { type Routes, routes } from '../../src/rest/routes.ts';

const signedIn = ['openid', 'email', 'profile'];

/** Sections 4 and 5 of the specification: the route and the scopes of each operation. */
const specified = {
  deactivateApiKey: ['DELETE /auth/keys/{key_id}', ['idp.signin.user.admin', ...signedIn]],
  privateKeyStatus: ['GET /auth/private-key', signedIn],
  updateAutomationSettings: ['PUT /automation/settings', signedIn],
} as const;

const rootTypes = [schema.getQueryType(), schema.getMutationType()];
const rootFields = rootTypes.flatMap((type) => Object.values(type?.getFields() ?? {}));

describe('the published contracts', () => {
  it.each(contracts())('%s matches the sources', (file, text) => {
    expect(readFileSync(file, 'utf8'), `${file} is out of date: run npm run schema`).toBe(text);
  });
});

describe('operations', () => {
  it('are queries and mutations only, without subscriptions', () => {
    expect(schema.getSubscriptionType()).toBeUndefined();
  });

  it('all have a description, a route, a test and examples', () => {
    expect(schemaFaults(schema, routes, globSync('{src,test}/**/*.ts'))).toEqual([]);
  });

  it.each(Object.entries(specified))(
    '%s has the route and the scopes of the specification',
    (name, [route, scopes]) => {
      const field = rootFields.find((candidate) => candidate.name === name);
      expect(field?.extensions['requiredScopes']).toEqual(scopes);
      const { method, path } = routes[name as keyof typeof specified];
      expect(`${method} ${path}`).toBe(route);
    },
  );
});

describe('the check of operations', () => {
  const sample = buildSchema(`
    "What can be read."
    type Query {
      "Counts."
      roomCount(isOpen: Boolean, first: Int): Int!
      rooms: Room!
    }
    "A room."
    type Room { "Its number." id: Int! }
  `);
  const table: Routes = {
    rooms: { method: 'GET', path: '/rooms' },
    doors: { method: 'GET', path: '/rooms' },
  };
  const files = ['src/rooms/rooms.ts', 'test/integration/rooms.test.ts', 'src/rooms/room-counts.ts'];

  it('an incomplete operation → what is missing, and where it belongs', () => {
    expect(schemaFaults(sample, table, files)).toEqual([
      'Query.roomCount(isOpen) needs a description in whole sentences',
      'Query.roomCount(first) needs a description in whole sentences',
      'Query.rooms needs a description in whole sentences',
      'roomCount has no route: add a line to src/rest/routes.ts',
      'roomCount has no operation: add src/<subject>/room-count.ts',
      'roomCount has no test: add test/integration/room-count.test.ts',
      'roomCount returns no object type, so the field needs an example: `example: …`',
      'roomCount needs an example of isOpen: `example: …`',
      'the route of doors in src/rest/routes.ts has no root field',
      'GET /rooms has two routes in src/rest/routes.ts',
    ]);
  });
});

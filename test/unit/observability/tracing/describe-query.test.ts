import { expect, it } from 'vitest';
import { createQueryDescriptions } from '../../../../src/observability/tracing/traced-db.ts';

const describeQuery = createQueryDescriptions('postgresql');

it.each([
  ['select "id" from "account" where "issuer" = $1', 'SELECT account'],
  ['update `api_key` set `name` = ? where `id` = ? returning *', 'UPDATE api_key'],
  ['insert into "audit_event" ("action") values ($1)', 'INSERT audit_event'],
  ['delete from "private_key" using "account"', 'DELETE private_key'],
  [
    'select * from "account" left join "api_key" on true inner join "account" on true',
    'SELECT account api_key',
  ],
  ['select 1', 'SELECT'],
  ['', 'QUERY'],
])('%j → %s', (sql, summary) => {
  expect(describeQuery(sql).summary).toBe(summary);
});

it('a query of one table → its name is an attribute; of two tables → no name', () => {
  expect(describeQuery('select "id" from "account"').attributes).toEqual({
    'db.system.name': 'postgresql',
    'db.operation.name': 'SELECT',
    'db.query.summary': 'SELECT account',
    'db.collection.name': 'account',
  });
  const { attributes } = describeQuery('select 1 from "account" join "api_key" on true');
  expect(attributes).not.toHaveProperty('db.collection.name');
});

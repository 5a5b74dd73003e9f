import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importTo, publicKey, sha256 } from '../../support/imports.ts';
import { root } from '../../support/process.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

const issuer = 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_example';

it("the documented query exports the public service's keys, and they work here", async () => {
  const [active, inactive] = [publicKey(), publicKey()];
  const connection = setup.gateway.database.em.getConnection();
  await connection.execute(`create schema there;
    create table there.users (id serial primary key, cognito_user_id varchar not null);
    create table there.api_keys (id serial primary key, user_id int not null references there.users, name varchar,
      key_hash varchar not null unique, key_prefix varchar not null, created_at timestamp not null, is_active boolean not null);
    insert into there.users (cognito_user_id) values ('carol'), ('dave');
    insert into there.api_keys (user_id, name, key_hash, key_prefix, created_at, is_active) values
      (2, 'A "name"', '${sha256(active)}', '${active.slice(0, 9)}', '2025-01-31 12:00:00.123456', true),
      (1, ' ', '${sha256(inactive)}', '${inactive.slice(0, 9)}', '2025-02-28 12:00:00', false)`);
  try {
    const query = await readFile(join(root, 'examples/public-service-keys.sql'), 'utf8');
    const rows: { line: object }[] = await connection.execute(
      query.replace('from api_keys', 'from there.api_keys').replace('join users', 'join there.users'),
    );
    const lines = rows.map(({ line }) => line);
    expect(await importTo(setup.gateway, lines, { issuers: [issuer] })).toEqual({
      made: 2,
      known: 0,
      refused: [],
    });
  } finally {
    await connection.execute('drop schema there cascade');
  }
  expect(await setup.gateway.rows('account')).toMatchObject([
    { issuer, subject: 'carol' },
    { issuer, subject: 'dave' },
  ]);
  const [first, second] = await setup.gateway.rows('api_key');
  expect(first).toMatchObject({ name: 'A "name"', created_at: Date.parse('2025-01-31T12:00:00.123Z') });
  expect(second).toMatchObject({ name: null });
  const authorize = async (key: string) =>
    (await setup.gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': key } })).status;
  expect([await authorize(active), await authorize(inactive), await authorize(publicKey())]).toEqual([
    200, 401, 401,
  ]);
});

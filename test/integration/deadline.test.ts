import { CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { Account } from '../../src/database/tables.ts';
import { recordStatements } from '../support/record-statements.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const tooLate = { code: 'SERVICE_UNAVAILABLE', reason: 'answer-timeout' };
const insert = CompiledQuery.raw(
  "insert into account (issuer, subject, created_at) values ('i', 's', '2026-01-31')",
);

describe("after the request's deadline", () => {
  it('no statement is sent to the database', async () => {
    const { database } = setup.gateway;
    const late = new Db(database.em).until(performance.now());
    const { sql } = await recordStatements(database, async () => {
      await expect(late.run(insert, Account)).rejects.toMatchObject(tooLate);
    });
    expect(sql).toEqual([]);
  });

  it('a change that began in time is rolled back', async () => {
    const end = performance.now() + 200;
    const db = new Db(setup.gateway.database.em).until(end);
    const change = db.transaction(async (inner) => {
      await inner.run(insert, Account);
      while (performance.now() < end);
      await inner.run(CompiledQuery.raw('select 1'), Account);
    });
    await expect(change).rejects.toMatchObject(tooLate);
    expect(await setup.gateway.rows('account')).toEqual([]);
  });
});

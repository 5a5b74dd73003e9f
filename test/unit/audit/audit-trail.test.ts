import { expect, it } from 'vitest';
import { auditTrail } from '../../../src/audit/audit-trail.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { Db } from '../../../src/database/db.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { Account, AuditEvent } from '../../../src/database/tables.ts';
import type { OperationContext } from '../../../src/operations/context.ts';
import { databaseConfig } from '../../support/database.ts';
import { recordStatements } from '../../support/record-statements.ts';

const since = new Date('2026-01-01T00:00:00.000Z');

// SQLite has no statistics, and chooses an index by rules of thumb.
it.each([
  ['all', {}, /INTEGER PRIMARY KEY/],
  ['of a key', { keyId: 1 }, /INDEX audit_event_by_target/],
  ['of a key that a kind of actor changed', { keyId: 1, actor: 'operator' }, /INDEX audit_event_by_target/],
  ['of an account', { userId: 1 }, /INDEX audit_event_account_id/],
  ['of a key of an account', { userId: 1, keyId: 1 }, /INDEX audit_event_(by_)?target/],
  ['with an action', { action: 'api-key-created' }, /INDEX audit_event_by_action/],
  [
    'of an account, with an action',
    { userId: 1, action: 'a' },
    /INDEX audit_event_action .account_id=. AND action/,
  ],
  ['of a kind of actor', { actor: 'operator' }, /INDEX audit_event_by_actor/],
  ['of the owners', { actor: 'self' }, /INTEGER PRIMARY KEY/],
  ['with an action, by an actor', { action: 'a', actor: 'operator' }, /INDEX audit_event_by_action/],
  ['of a time', { from: since, to: since }, /INTEGER PRIMARY KEY/],
  ['of a kind of actor, of a time', { actor: 'key', from: since }, /INDEX audit_event_by_actor/],
])(
  'SQLite reads the events %s by an index, in either order, and sorts nothing',
  async (_what, input, index) => {
    const config = databaseConfig('sqlite::memory:');
    await using database = await openDatabase(config);
    await migrate(database, config);
    const owner = { issuer: 'https://id.example.com', subject: 'alice', kind: 'person' as const };
    await database.em.fork().insert(Account, { ...owner, createdAt: new Date() });
    const now = new Date();
    await database.em
      .fork()
      .insert(AuditEvent, { account: 1, action: 'account-created', request: 'r', createdAt: now } as never);
    const context = {
      owner,
      db: new Db(database.em),
      services: { settings: { changesPerDay: 1000 } },
      events: () => {},
      requestSource: { id: 'request', address: null },
    } as unknown as OperationContext;
    for (const order of ['newest', 'oldest']) {
      const { sql } = await recordStatements(database, () =>
        auditTrail(context, { ...input, order } as never),
      );
      const [text = ''] = sql.filter(
        (each) => /select .*\* from|order by .*"?id/.test(each) && each.includes('audit_event'),
      );
      const values = Array.from(text.matchAll(/\?/g), () => 1);
      const plan = JSON.stringify(
        await database.em.getConnection().execute(`explain query plan ${text}`, values),
      );
      expect(plan).toMatch(index);
      expect(plan).not.toMatch(/TEMP B-TREE/);
    }
  },
);

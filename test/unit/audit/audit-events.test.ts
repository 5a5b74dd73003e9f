import { expect, it } from 'vitest';
import { auditEvents } from '../../../src/audit/audit-events.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { Db } from '../../../src/database/db.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { Account } from '../../../src/database/tables.ts';
import type { OperationContext } from '../../../src/operations/context.ts';
import { databaseConfig } from '../../support/database.ts';
import { recordStatements } from '../../support/record-statements.ts';

// SQLite has no statistics, and chooses an index by rules of thumb.
it.each([
  ['of a key', { keyId: 1 }, /INDEX audit_event_target/],
  ['with an action', { action: 'api-key-created' }, /INDEX audit_event_action/],
  ['of a key, with an action', { keyId: 1, action: 'api-key-created' }, /INDEX audit_event_(target|action)/],
])('SQLite reads the events %s by an index of their own', async (_what, input, index) => {
  const config = databaseConfig('sqlite::memory:');
  await using database = await openDatabase(config);
  await migrate(database, config);
  const owner = { issuer: 'https://id.example.com', subject: 'alice' };
  await database.em.fork().insert(Account, { ...owner, createdAt: new Date() });
  const context = { owner, db: new Db(database.em), services: {} } as unknown as OperationContext;
  const { sql } = await recordStatements(database, () => auditEvents(context, input));
  const [text = ''] = sql.filter((each) => each.includes('audit_event'));
  const values = Array.from(text.matchAll(/\?/g), () => 1);
  const plan = JSON.stringify(
    await database.em.getConnection().execute(`explain query plan ${text}`, values),
  );
  expect(plan).toMatch(index);
  expect(plan).not.toMatch(/TEMP B-TREE/);
});

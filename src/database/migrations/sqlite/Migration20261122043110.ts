import { Migration } from '@mikro-orm/migrations';

/** REPLACE deletes the row in its way without firing triggers of deletes, so it is refused before it inserts. */
export class Migration20261122043110 extends Migration {

  override name = 'Migration20261122043110';

  override up(): void | Promise<void> {
    this.addSql(`create trigger \`audit_event_no_replace\` before insert on \`audit_event\` when exists (select 1 from \`audit_event\` where \`id\` = new.\`id\`) begin select raise(abort, 'audit events are never replaced'); end;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger \`audit_event_no_replace\`;`);
  }

}

import { Migration } from '@mikro-orm/migrations';

/** TRUNCATE fires no trigger of rows, so it has one of its own. */
export class Migration20261122043115 extends Migration {

  override name = 'Migration20261122043115';

  override up(): void | Promise<void> {
    this.addSql(`create trigger "audit_event_no_truncate" before truncate on "audit_event" for each statement execute function "refuse_change_of_audit_event"();`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger "audit_event_no_truncate" on "audit_event";`);
  }

}

import { Migration } from '@mikro-orm/migrations';

/** Indexes for the events of one key or with one action. */
export class Migration20261126043000_compatible extends Migration {
  override name = 'Migration20261126043000_compatible';

  override up(): void {
    this.addSql(`create index "audit_event_target" on "audit_event" ("account_id", "target");`);
    this.addSql(`create index "audit_event_action" on "audit_event" ("account_id", "action");`);
  }
}

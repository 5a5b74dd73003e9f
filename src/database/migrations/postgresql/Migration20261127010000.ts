import { Migration } from '@mikro-orm/migrations';

/** Which server of the provider made a change with a secret of its own. */
export class Migration20261127010000 extends Migration {
  override name = 'Migration20261127010000';

  override up(): void {
    this.addSql(`alter table "audit_event" add "server" varchar(255) null;`);
  }
}

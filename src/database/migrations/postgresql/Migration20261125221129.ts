import { Migration } from '@mikro-orm/migrations';

/** A webhook endpoint has headers of its own, and is paused if its receiver answers 410. */
export class Migration20261125221129 extends Migration {
  override name = 'Migration20261125221129';

  override up(): void {
    this.addSql(`alter table "webhook_endpoint" add "gone_at" timestamptz(3) null, add "header_names" text null;`);
  }
}

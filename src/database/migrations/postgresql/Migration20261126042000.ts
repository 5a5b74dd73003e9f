import { Migration } from '@mikro-orm/migrations';

/** Each secret of a key has its prefix, and the times of its creation and last use. */
export class Migration20261126042000 extends Migration {
  override name = 'Migration20261126042000';

  override up(): void {
    this.addSql(`alter table "api_key_secret" add "key_prefix" varchar(255) null, add "created_at" timestamptz(3) null, add "last_used_at" timestamptz(3) null;`);
  }
}

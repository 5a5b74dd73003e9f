import { Migration } from '@mikro-orm/migrations';

export class Migration20261122191709_compatible extends Migration {

  override name = 'Migration20261122191709_compatible';

  override up(): void | Promise<void> {
    this.addSql(`alter table "api_key_secret" add "leaked_at" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "api_key_secret" drop column "leaked_at";`);
  }

}

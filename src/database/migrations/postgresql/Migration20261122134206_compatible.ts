import { Migration } from '@mikro-orm/migrations';

export class Migration20261122134206_compatible extends Migration {

  override name = 'Migration20261122134206_compatible';

  override up(): void | Promise<void> {
    this.addSql(`alter table "api_key" add "previous_works_until" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "api_key" drop column "previous_works_until";`);
  }

}

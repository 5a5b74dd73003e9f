import { Migration } from '@mikro-orm/migrations';

/** What an API key's owner wants to remember of it. */
export class Migration20261123181504 extends Migration {
  override name = 'Migration20261123181504';

  override up(): void {
    this.addSql(`alter table "api_key" add "description" text null;`);
  }
}

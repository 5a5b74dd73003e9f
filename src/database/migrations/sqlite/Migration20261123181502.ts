import { Migration } from '@mikro-orm/migrations';

/** What an API key's owner wants to remember of it. */
export class Migration20261123181502 extends Migration {
  override name = 'Migration20261123181502';

  override up(): void {
    this.addSql(`alter table \`api_key\` add column \`description\` text null;`);
  }
}

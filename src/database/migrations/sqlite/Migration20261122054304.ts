import { Migration } from '@mikro-orm/migrations';

export class Migration20261122054304 extends Migration {

  override name = 'Migration20261122054304';

  override up(): void | Promise<void> {
    this.addSql(`create index \`api_key_active\` on \`api_key\` (\`account_id\`) where \`is_active\` = true;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`api_key_active\`;`);
  }

}

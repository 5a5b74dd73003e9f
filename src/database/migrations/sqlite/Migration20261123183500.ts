import { Migration } from '@mikro-orm/migrations';

/** What is used of the quota that all API keys of an account share. */
export class Migration20261123183500 extends Migration {
  override name = 'Migration20261123183500';

  override up(): void {
    this.addSql(`create table \`account_quota\` (\`account_id\` integer not null primary key, \`refill\` text not null, \`taken\` integer not null, \`refills_at\` datetime null, \`generation\` integer not null, \`exhausted_generation\` integer null, constraint \`account_quota_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`) on update cascade on delete cascade);`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/** What was used of a limit stays used when the limit changes. */
export class Migration20261125150000 extends Migration {
  override name = 'Migration20261125150000';

  override up(): void {
    // SQLite cannot lift NOT NULL, so the table is written anew. No other table refers to it.
    this.addSql(`create table \`api_key_quota_new\` (\`api_key_id\` integer not null primary key, \`units\` integer null, \`refill\` text not null, \`taken\` integer not null, \`refills_at\` datetime null, \`generation\` integer not null, \`exhausted_generation\` integer null, constraint \`api_key_quota_api_key_id_foreign\` foreign key (\`api_key_id\`) references \`api_key\` (\`id\`) on update cascade on delete cascade);`);
    this.addSql(`insert into \`api_key_quota_new\` select \`api_key_id\`, \`units\`, \`refill\`, \`taken\`, \`refills_at\`, \`generation\`, \`exhausted_generation\` from \`api_key_quota\`;`);
    this.addSql(`drop table \`api_key_quota\`;`);
    this.addSql(`alter table \`api_key_quota_new\` rename to \`api_key_quota\`;`);
  }
}

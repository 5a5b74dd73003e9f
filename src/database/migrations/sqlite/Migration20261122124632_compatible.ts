import { Migration } from '@mikro-orm/migrations';

export class Migration20261122124632_compatible extends Migration {

  override name = 'Migration20261122124632_compatible';

  override up(): void | Promise<void> {
    this.addSql(`create table \`idempotency_record\` (\`id\` integer not null primary key autoincrement, \`account_id\` integer not null, \`key_digest\` blob not null, \`sealed_answer\` text not null, \`pepper_version\` integer not null, \`created_at\` datetime not null, constraint \`idempotency_record_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create index \`idempotency_record_account_id_index\` on \`idempotency_record\` (\`account_id\`);`);
    this.addSql(`create index \`idempotency_record_created_at_index\` on \`idempotency_record\` (\`created_at\`);`);
    this.addSql(`create unique index \`idempotency_record_account_id_key_digest_unique\` on \`idempotency_record\` (\`account_id\`, \`key_digest\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`idempotency_record\`;`);
  }

}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261121090135 extends Migration {

  override name = 'Migration20261121090135';

  override up(): void | Promise<void> {
    this.addSql(`create table \`account\` (\`id\` integer not null primary key autoincrement, \`issuer\` text not null, \`subject\` text not null, \`created_at\` datetime not null);`);
    this.addSql(`create unique index \`account_issuer_subject_unique\` on \`account\` (\`issuer\`, \`subject\`);`);

    this.addSql(`create table \`api_key\` (\`id\` integer not null primary key autoincrement, \`account_id\` integer not null, \`key_prefix\` text not null, \`name\` text null, \`is_active\` integer not null default true, \`is_default\` integer not null default false, \`encrypted_key\` text null, \`encryption_version\` integer not null default 1, \`created_at\` datetime not null, constraint \`api_key_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create index \`api_key_account_id_index\` on \`api_key\` (\`account_id\`);`);
    this.addSql(`create unique index \`api_key_one_default\` on \`api_key\` (\`account_id\`) where \`is_default\` = true;`);

    this.addSql(`create table \`automation_settings\` (\`id\` integer not null primary key autoincrement, \`account_id\` integer not null, \`is_enabled\` integer null, \`session_duration\` integer null, \`created_at\` datetime not null, \`updated_at\` datetime not null, constraint \`automation_settings_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create unique index \`automation_settings_account_id_unique\` on \`automation_settings\` (\`account_id\`);`);

    this.addSql(`create table \`private_key\` (\`id\` integer not null primary key autoincrement, \`account_id\` integer not null, \`sealed_key\` text not null, \`created_at\` datetime not null, \`updated_at\` datetime not null, constraint \`private_key_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create unique index \`private_key_account_id_unique\` on \`private_key\` (\`account_id\`);`);
  }

}

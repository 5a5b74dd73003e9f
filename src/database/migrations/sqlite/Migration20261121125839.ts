import { Migration } from '@mikro-orm/migrations';

export class Migration20261121125839 extends Migration {

  override name = 'Migration20261121125839';

  override up(): void | Promise<void> {
    this.addSql(`create table \`api_key_secret\` (\`id\` integer not null primary key autoincrement, \`api_key_id\` integer not null, \`digest\` blob not null, \`pepper_version\` integer not null, \`works_until\` datetime null, constraint \`api_key_secret_api_key_id_foreign\` foreign key (\`api_key_id\`) references \`api_key\` (\`id\`));`);
    this.addSql(`create index \`api_key_secret_api_key_id_index\` on \`api_key_secret\` (\`api_key_id\`);`);
    this.addSql(`create unique index \`api_key_secret_digest_unique\` on \`api_key_secret\` (\`digest\`);`);

    this.addSql(`create table \`audit_event\` (\`id\` integer not null primary key autoincrement, \`account_id\` integer not null, \`action\` text not null, \`target\` integer null, \`request\` text not null, \`address\` text null, \`created_at\` datetime not null, constraint \`audit_event_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create index \`audit_event_account_id_index\` on \`audit_event\` (\`account_id\`);`);
    this.addSql(`create index \`audit_event_account_id_id_index\` on \`audit_event\` (\`account_id\`, \`id\`);`);

    this.addSql(`alter table \`api_key\` add column \`expires_at\` datetime null;`);
    this.addSql(`alter table \`api_key\` add column \`deactivated_at\` datetime null;`);
    this.addSql(`alter table \`api_key\` add column \`last_used_at\` datetime null;`);

    this.addSql(`alter table \`private_key\` add column \`encryption_version\` integer not null default 1;`);

    this.addSql(`create trigger \`audit_event_no_update\` before update on \`audit_event\` begin select raise(abort, 'audit events are never changed'); end;`);
    this.addSql(`create trigger \`audit_event_no_delete\` before delete on \`audit_event\` begin select raise(abort, 'audit events are never deleted'); end;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`api_key_secret\`;`);
    this.addSql(`drop table if exists \`audit_event\`;`);

    this.addSql(`alter table \`api_key\` drop column \`expires_at\`;`);
    this.addSql(`alter table \`api_key\` drop column \`deactivated_at\`;`);
    this.addSql(`alter table \`api_key\` drop column \`last_used_at\`;`);

    this.addSql(`alter table \`private_key\` drop column \`encryption_version\`;`);
  }

}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261122152739_compatible extends Migration {

  override name = 'Migration20261122152739_compatible';

  override up(): void | Promise<void> {
    this.addSql(`create table \`api_key_quota\` (\`api_key_id\` integer not null primary key, \`units\` integer not null, \`refill\` text not null, \`taken\` integer not null, \`refills_at\` datetime null, \`generation\` integer not null, constraint \`api_key_quota_api_key_id_foreign\` foreign key (\`api_key_id\`) references \`api_key\` (\`id\`) on update cascade on delete cascade);`);

    this.addSql(`create table \`api_key_use\` (\`api_key_id\` integer not null, \`hour\` datetime not null, \`outcome\` text not null, \`count\` integer not null, primary key (\`api_key_id\`, \`hour\`, \`outcome\`), constraint \`api_key_use_api_key_id_foreign\` foreign key (\`api_key_id\`) references \`api_key\` (\`id\`));`);
    this.addSql(`create index \`api_key_use_api_key_id_index\` on \`api_key_use\` (\`api_key_id\`);`);
    this.addSql(`create index \`api_key_use_hour_index\` on \`api_key_use\` (\`hour\`);`);

    this.addSql(`alter table \`api_key\` add column \`permissions\` text null;`);
    this.addSql(`alter table \`api_key\` add column \`metadata\` text null;`);
    this.addSql(`alter table \`api_key\` add column \`allowed_addresses\` text null;`);
    this.addSql(`alter table \`api_key\` add column \`rate_limit\` integer null;`);
    this.addSql(`alter table \`api_key\` add column \`rate_limit_window\` integer null;`);

    this.addSql(`alter table \`audit_event\` add column \`details\` text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`api_key_quota\`;`);
    this.addSql(`drop table if exists \`api_key_use\`;`);

    this.addSql(`alter table \`api_key\` drop column \`permissions\`;`);
    this.addSql(`alter table \`api_key\` drop column \`metadata\`;`);
    this.addSql(`alter table \`api_key\` drop column \`allowed_addresses\`;`);
    this.addSql(`alter table \`api_key\` drop column \`rate_limit\`;`);
    this.addSql(`alter table \`api_key\` drop column \`rate_limit_window\`;`);

    this.addSql(`alter table \`audit_event\` drop column \`details\`;`);
  }

}

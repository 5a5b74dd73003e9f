import { Migration } from '@mikro-orm/migrations';

export class Migration20261122163252_compatible extends Migration {

  override name = 'Migration20261122163252_compatible';

  override up(): void | Promise<void> {
    this.addSql(`create table \`api_key_lease\` (\`api_key_id\` integer not null, \`node\` text not null, \`generation\` integer not null, \`units\` integer not null, \`expires_at\` datetime not null, primary key (\`api_key_id\`, \`node\`), constraint \`api_key_lease_api_key_id_foreign\` foreign key (\`api_key_id\`) references \`api_key\` (\`id\`) on delete cascade);`);
    this.addSql(`create index \`api_key_lease_api_key_id_index\` on \`api_key_lease\` (\`api_key_id\`);`);
    this.addSql(`create index \`api_key_lease_expires_at_index\` on \`api_key_lease\` (\`expires_at\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`api_key_lease\`;`);
  }

}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261122185329_compatible extends Migration {

  override name = 'Migration20261122185329_compatible';

  override up(): void | Promise<void> {
    this.addSql(`create table \`account_use\` (\`account_id\` integer not null, \`hour\` datetime not null, \`outcome\` text not null, \`count\` bigint not null, primary key (\`account_id\`, \`hour\`, \`outcome\`), constraint \`account_use_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create index \`account_use_account_id_index\` on \`account_use\` (\`account_id\`);`);
    this.addSql(`create index \`account_use_hour_index\` on \`account_use\` (\`hour\`);`);

    // Who counts from now on adds to what was counted before.
    this.addSql(`insert into account_use (account_id, hour, outcome, count)
      select api_key.account_id, api_key_use.hour, api_key_use.outcome, sum(api_key_use.count)
      from api_key_use join api_key on api_key.id = api_key_use.api_key_id
      group by api_key.account_id, api_key_use.hour, api_key_use.outcome;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`account_use\`;`);
  }

}

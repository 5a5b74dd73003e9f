import { Migration } from '@mikro-orm/migrations';

export class Migration20261122163257_compatible extends Migration {

  override name = 'Migration20261122163257_compatible';

  override up(): void | Promise<void> {
    this.addSql(`create table "api_key_lease" ("api_key_id" int not null, "node" varchar(255) not null, "generation" int not null, "units" int not null, "expires_at" timestamptz(3) not null, primary key ("api_key_id", "node"));`);
    this.addSql(`create index "api_key_lease_expires_at_index" on "api_key_lease" ("expires_at");`);

    this.addSql(`alter table "api_key_lease" add constraint "api_key_lease_api_key_id_foreign" foreign key ("api_key_id") references "api_key" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "api_key_lease" cascade;`);
  }

}

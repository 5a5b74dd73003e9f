import { Migration } from '@mikro-orm/migrations';

export class Migration20261122152740_compatible extends Migration {

  override name = 'Migration20261122152740_compatible';

  override up(): void | Promise<void> {
    this.addSql(`create table "api_key_quota" ("api_key_id" int not null, "units" int not null, "refill" varchar(255) not null, "taken" int not null, "refills_at" timestamptz(3) null, "generation" int not null, primary key ("api_key_id"));`);

    this.addSql(`create table "api_key_use" ("api_key_id" int not null, "hour" timestamptz(3) not null, "outcome" varchar(255) not null, "count" int not null, primary key ("api_key_id", "hour", "outcome"));`);
    this.addSql(`create index "api_key_use_hour_index" on "api_key_use" ("hour");`);

    this.addSql(`alter table "api_key" add "permissions" text null, add "metadata" text null, add "allowed_addresses" text null, add "rate_limit" int null, add "rate_limit_window" int null;`);

    this.addSql(`alter table "audit_event" add "details" text null;`);

    this.addSql(`alter table "api_key_quota" add constraint "api_key_quota_api_key_id_foreign" foreign key ("api_key_id") references "api_key" ("id") on update cascade on delete cascade;`);

    this.addSql(`alter table "api_key_use" add constraint "api_key_use_api_key_id_foreign" foreign key ("api_key_id") references "api_key" ("id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "api_key_quota" cascade;`);
    this.addSql(`drop table if exists "api_key_use" cascade;`);

    this.addSql(`alter table "api_key" drop column "permissions", drop column "metadata", drop column "allowed_addresses", drop column "rate_limit", drop column "rate_limit_window";`);

    this.addSql(`alter table "audit_event" drop column "details";`);
  }

}

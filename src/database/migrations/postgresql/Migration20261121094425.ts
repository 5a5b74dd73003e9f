import { Migration } from '@mikro-orm/migrations';

export class Migration20261121094425 extends Migration {

  override name = 'Migration20261121094425';

  override up(): void | Promise<void> {
    this.addSql(`create table "account" ("id" serial primary key, "issuer" varchar(255) not null, "subject" varchar(255) not null, "created_at" timestamptz(3) not null);`);
    this.addSql(`alter table "account" add constraint "account_issuer_subject_unique" unique ("issuer", "subject");`);

    this.addSql(`create table "api_key" ("id" serial primary key, "account_id" int not null, "key_prefix" varchar(255) not null, "name" varchar(255) null, "is_active" boolean not null default true, "is_default" boolean not null default false, "encrypted_key" text null, "encryption_version" int not null default 1, "created_at" timestamptz(3) not null);`);
    this.addSql(`create index "api_key_account_id_index" on "api_key" ("account_id");`);
    this.addSql(`create unique index "api_key_one_default" on "api_key" ("account_id") where "is_default" = true;`);

    this.addSql(`create table "automation_settings" ("id" serial primary key, "account_id" int not null, "is_enabled" boolean null, "session_duration" int null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null);`);
    this.addSql(`alter table "automation_settings" add constraint "automation_settings_account_id_unique" unique ("account_id");`);

    this.addSql(`create table "private_key" ("id" serial primary key, "account_id" int not null, "sealed_key" text not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null);`);
    this.addSql(`alter table "private_key" add constraint "private_key_account_id_unique" unique ("account_id");`);

    this.addSql(`alter table "api_key" add constraint "api_key_account_id_foreign" foreign key ("account_id") references "account" ("id");`);

    this.addSql(`alter table "automation_settings" add constraint "automation_settings_account_id_foreign" foreign key ("account_id") references "account" ("id");`);

    this.addSql(`alter table "private_key" add constraint "private_key_account_id_foreign" foreign key ("account_id") references "account" ("id");`);
  }

}

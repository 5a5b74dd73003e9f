import { Migration } from '@mikro-orm/migrations';

export class Migration20261121125844 extends Migration {

  override name = 'Migration20261121125844';

  override up(): void | Promise<void> {
    this.addSql(`create table "api_key_secret" ("id" serial primary key, "api_key_id" int not null, "digest" bytea not null, "pepper_version" int not null, "works_until" timestamptz(3) null);`);
    this.addSql(`create index "api_key_secret_api_key_id_index" on "api_key_secret" ("api_key_id");`);
    this.addSql(`alter table "api_key_secret" add constraint "api_key_secret_digest_unique" unique ("digest");`);

    this.addSql(`create table "audit_event" ("id" serial primary key, "account_id" int not null, "action" varchar(255) not null, "target" int null, "request" varchar(255) not null, "address" varchar(255) null, "created_at" timestamptz(3) not null);`);
    this.addSql(`create index "audit_event_account_id_id_index" on "audit_event" ("account_id", "id");`);

    this.addSql(`alter table "api_key" add "expires_at" timestamptz(3) null, add "deactivated_at" timestamptz(3) null, add "last_used_at" timestamptz(3) null;`);

    this.addSql(`alter table "private_key" add "encryption_version" int not null default 1;`);

    this.addSql(`alter table "api_key_secret" add constraint "api_key_secret_api_key_id_foreign" foreign key ("api_key_id") references "api_key" ("id");`);

    this.addSql(`alter table "audit_event" add constraint "audit_event_account_id_foreign" foreign key ("account_id") references "account" ("id");`);

    this.addSql(`create function "refuse_change_of_audit_event"() returns trigger language plpgsql as $$ begin raise exception 'audit events are never changed'; end $$;`);
    this.addSql(`create trigger "audit_event_no_change" before update or delete on "audit_event" for each row execute function "refuse_change_of_audit_event"();`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "api_key_secret" cascade;`);
    this.addSql(`drop table if exists "audit_event" cascade;`);
    this.addSql(`drop function if exists "refuse_change_of_audit_event";`);

    this.addSql(`alter table "api_key" drop column "expires_at", drop column "deactivated_at", drop column "last_used_at";`);

    this.addSql(`alter table "private_key" drop column "encryption_version";`);
  }

}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261122124635_compatible extends Migration {

  override name = 'Migration20261122124635_compatible';

  override up(): void | Promise<void> {
    this.addSql(`create table "idempotency_record" ("id" serial primary key, "account_id" int not null, "key_digest" bytea not null, "sealed_answer" text not null, "pepper_version" int not null, "created_at" timestamptz(3) not null);`);
    this.addSql(`create index "idempotency_record_created_at_index" on "idempotency_record" ("created_at");`);
    this.addSql(`alter table "idempotency_record" add constraint "idempotency_record_account_id_key_digest_unique" unique ("account_id", "key_digest");`);

    this.addSql(`alter table "idempotency_record" add constraint "idempotency_record_account_id_foreign" foreign key ("account_id") references "account" ("id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "idempotency_record" cascade;`);
  }

}

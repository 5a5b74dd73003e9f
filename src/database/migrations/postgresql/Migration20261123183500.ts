import { Migration } from '@mikro-orm/migrations';

/** What is used of the quota that all API keys of an account share. */
export class Migration20261123183500 extends Migration {
  override name = 'Migration20261123183500';

  override up(): void {
    this.addSql(`create table "account_quota" ("account_id" int not null, "refill" varchar(255) not null, "taken" int not null, "refills_at" timestamptz(3) null, "generation" int not null, "exhausted_generation" int null, primary key ("account_id"));`);

    this.addSql(`alter table "account_quota" add constraint "account_quota_account_id_foreign" foreign key ("account_id") references "account" ("id") on update cascade on delete cascade;`);
  }
}

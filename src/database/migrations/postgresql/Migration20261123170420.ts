import { Migration } from '@mikro-orm/migrations';

/** The plan of an account, and the members that it has in place of the plan's own. */
export class Migration20261123170420 extends Migration {
  override name = 'Migration20261123170420';

  override up(): void {
    this.addSql(`alter table "account" add "plan" varchar(255) null, add "overrides" text null, add "entitled_at" timestamptz(3) null;`);
    this.addSql(`create index "account_plan" on "account" ("plan") where "plan" is not null;`);
  }
}

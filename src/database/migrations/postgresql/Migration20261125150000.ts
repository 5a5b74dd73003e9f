import { Migration } from '@mikro-orm/migrations';

/** What was used of a limit stays used when the limit changes. */
export class Migration20261125150000 extends Migration {
  override name = 'Migration20261125150000';

  override up(): void {
    this.addSql(`alter table "api_key_quota" alter column "units" drop not null;`);
    // How long the window of a shared count is, in seconds: its limit may get another one while it runs.
    this.addSql(`alter table "rate_limit" add "seconds" integer null;`);
  }
}

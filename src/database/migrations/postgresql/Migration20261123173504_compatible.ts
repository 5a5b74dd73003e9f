import { Migration } from '@mikro-orm/migrations';

/** An index for the removal of API keys that ended long ago. */
export class Migration20261123173504_compatible extends Migration {
  override name = 'Migration20261123173504_compatible';

  override up(): void {
    this.addSql(`create index "api_key_ended" on "api_key" ("deactivated_at") where "deactivated_at" is not null;`);
  }
}

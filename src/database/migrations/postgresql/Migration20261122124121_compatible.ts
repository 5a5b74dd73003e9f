import { Migration } from '@mikro-orm/migrations';

export class Migration20261122124121_compatible extends Migration {

  override name = 'Migration20261122124121_compatible';

  override up(): void | Promise<void> {
    this.addSql(`alter table "automation_settings" add "is_enabled_cleared" boolean not null default false, add "session_duration_cleared" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "automation_settings" drop column "is_enabled_cleared", drop column "session_duration_cleared";`);
  }

}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261122124118_compatible extends Migration {

  override name = 'Migration20261122124118_compatible';

  override up(): void | Promise<void> {
    this.addSql(`alter table \`automation_settings\` add column \`is_enabled_cleared\` integer not null default false;`);
    this.addSql(`alter table \`automation_settings\` add column \`session_duration_cleared\` integer not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`automation_settings\` drop column \`is_enabled_cleared\`;`);
    this.addSql(`alter table \`automation_settings\` drop column \`session_duration_cleared\`;`);
  }

}

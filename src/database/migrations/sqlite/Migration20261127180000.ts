import { Migration } from '@mikro-orm/migrations';

/** An API key may be paused. An older node would accept it, so none may run beside this. */
export class Migration20261127180000 extends Migration {
  override name = 'Migration20261127180000';

  override up(): void {
    this.addSql(`alter table \`api_key\` add column \`paused_at\` datetime null;`);
    this.addSql(`alter table \`api_key\` add column \`paused_by\` text null;`);
    this.addSql(`alter table \`api_key\` add column \`pause_reason\` text null;`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/** Each secret of a key has its prefix, and the times of its creation and last use. */
export class Migration20261126042000 extends Migration {
  override name = 'Migration20261126042000';

  override up(): void {
    this.addSql(`alter table \`api_key_secret\` add column \`key_prefix\` text null;`);
    this.addSql(`alter table \`api_key_secret\` add column \`created_at\` datetime null;`);
    this.addSql(`alter table \`api_key_secret\` add column \`last_used_at\` datetime null;`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/** A webhook endpoint has headers of its own, and is paused if its receiver answers 410. */
export class Migration20261125221129 extends Migration {
  override name = 'Migration20261125221129';

  override up(): void {
    this.addSql(`alter table \`webhook_endpoint\` add column \`gone_at\` datetime null;`);
    this.addSql(`alter table \`webhook_endpoint\` add column \`header_names\` text null;`);
  }
}

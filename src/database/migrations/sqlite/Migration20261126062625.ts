import { Migration } from '@mikro-orm/migrations';

/** A private key has a fingerprint, and a webhook endpoint says since when it fails. Subjects are searched without an index. */
export class Migration20261126062625 extends Migration {
  override name = 'Migration20261126062625';

  override up(): void {
    this.addSql(`drop index \`account_subject\`;`);
    this.addSql(`alter table \`private_key\` add column \`fingerprint\` text null;`);
    this.addSql(`alter table \`webhook_endpoint\` add column \`failing_since\` datetime null;`);
  }
}

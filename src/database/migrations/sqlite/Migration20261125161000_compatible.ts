import { Migration } from '@mikro-orm/migrations';

/** An index by which accounts take turns when their events are handed out. */
export class Migration20261125161000_compatible extends Migration {
  override name = 'Migration20261125161000_compatible';

  override up(): void {
    this.addSql(`create index \`webhook_event_account_id_id_index\` on \`webhook_event\` (\`account_id\`, \`id\`);`);
  }
}

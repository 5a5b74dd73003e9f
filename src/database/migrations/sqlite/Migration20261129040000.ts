import { Migration } from '@mikro-orm/migrations';

/** Indexes for whoever reads the audit events of all accounts. */
export class Migration20261129040000 extends Migration {
  override name = 'Migration20261129040000';

  override up(): void {
    this.addSql(`create index \`audit_event_by_action\` on \`audit_event\` (\`action\`, \`id\`);`);
    this.addSql(`create index \`audit_event_by_actor\` on \`audit_event\` (\`actor\`, \`id\`) where \`actor\` is not null;`);
    this.addSql(`create index \`audit_event_by_target\` on \`audit_event\` (\`target\`, \`id\`) where \`target\` is not null;`);
    this.addSql(`create index \`audit_event_by_time\` on \`audit_event\` (\`created_at\`);`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/** The plan of an account, and the members that it has in place of the plan's own. */
export class Migration20261123170418 extends Migration {
  override name = 'Migration20261123170418';

  override up(): void {
    this.addSql(`alter table \`account\` add column \`plan\` text null;`);
    this.addSql(`alter table \`account\` add column \`overrides\` text null;`);
    this.addSql(`alter table \`account\` add column \`entitled_at\` datetime null;`);
    this.addSql(`create index \`account_plan\` on \`account\` (\`plan\`) where \`plan\` is not null;`);
  }
}

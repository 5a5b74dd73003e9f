import { Migration } from '@mikro-orm/migrations';

export class Migration20261122191707_compatible extends Migration {

  override name = 'Migration20261122191707_compatible';

  override up(): void | Promise<void> {
    this.addSql(`alter table \`api_key_secret\` add column \`leaked_at\` datetime null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`api_key_secret\` drop column \`leaked_at\`;`);
  }

}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261122134204_compatible extends Migration {

  override name = 'Migration20261122134204_compatible';

  override up(): void | Promise<void> {
    this.addSql(`alter table \`api_key\` add column \`previous_works_until\` datetime null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`api_key\` drop column \`previous_works_until\`;`);
  }

}

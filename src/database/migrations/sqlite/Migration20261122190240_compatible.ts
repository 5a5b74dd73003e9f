import { Migration } from '@mikro-orm/migrations';

export class Migration20261122190240_compatible extends Migration {

  override name = 'Migration20261122190240_compatible';

  override up(): void | Promise<void> {
    this.addSql(`create table \`imported_form\` (\`id\` integer not null primary key autoincrement, \`beginning\` text not null);`);
    this.addSql(`create unique index \`imported_form_beginning_unique\` on \`imported_form\` (\`beginning\`);`);

    this.addSql(`alter table \`api_key_secret\` add column \`is_imported\` integer not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`imported_form\`;`);

    this.addSql(`alter table \`api_key_secret\` drop column \`is_imported\`;`);
  }

}

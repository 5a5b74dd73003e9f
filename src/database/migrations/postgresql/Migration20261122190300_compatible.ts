import { Migration } from '@mikro-orm/migrations';

export class Migration20261122190300_compatible extends Migration {

  override name = 'Migration20261122190300_compatible';

  override up(): void | Promise<void> {
    this.addSql(`create table "imported_form" ("id" serial primary key, "beginning" varchar(255) not null);`);
    this.addSql(`alter table "imported_form" add constraint "imported_form_beginning_unique" unique ("beginning");`);

    this.addSql(`alter table "api_key_secret" add "is_imported" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "imported_form" cascade;`);

    this.addSql(`alter table "api_key_secret" drop column "is_imported";`);
  }

}

import { Migration } from '@mikro-orm/migrations';

/** Imported keys may be hashed by SHA-512, and in a part. */
export class Migration20261127070000 extends Migration {
  override name = 'Migration20261127070000';

  override up(): void {
    this.addSql(`alter table "imported_form" drop constraint "imported_form_beginning_unique";`);
    this.addSql(`alter table "imported_form" add "algorithm" varchar(255) not null default 'sha256', add "hashed_after" varchar(255) not null default '';`);
    this.addSql(`alter table "imported_form" add constraint "imported_form_beginning_algorithm_hashed_after_unique" unique ("beginning", "algorithm", "hashed_after");`);
  }
}

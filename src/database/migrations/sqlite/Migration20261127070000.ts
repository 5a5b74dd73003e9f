import { Migration } from '@mikro-orm/migrations';

/** Imported keys may be hashed by SHA-512, and in a part. */
export class Migration20261127070000 extends Migration {
  override name = 'Migration20261127070000';

  override up(): void {
    this.addSql(`drop index \`imported_form_beginning_unique\`;`);
    this.addSql(`alter table \`imported_form\` add column \`algorithm\` text not null default 'sha256';`);
    this.addSql(`alter table \`imported_form\` add column \`hashed_after\` text not null default '';`);
    this.addSql(`create unique index \`imported_form_beginning_algorithm_hashed_after_unique\` on \`imported_form\` (\`beginning\`, \`algorithm\`, \`hashed_after\`);`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/**
 * What nodes count together, for rate limits: no entity, but the table of the library that counts. It is not logged:
 * a crash may empty it, and counting waits for no disk.
 */
export class Migration20261121151000 extends Migration {

  override name = 'Migration20261121151000';

  override up(): void | Promise<void> {
    this.addSql(`create unlogged table "rate_limit" ("key" varchar(255) primary key, "points" integer not null, "expire" bigint not null);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table "rate_limit";`);
  }

}

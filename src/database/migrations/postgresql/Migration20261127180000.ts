import { Migration } from '@mikro-orm/migrations';

/** An API key may be paused. An older node would accept it, so none may run beside this. */
export class Migration20261127180000 extends Migration {
  override name = 'Migration20261127180000';

  override up(): void {
    this.addSql(`alter table "api_key" add "paused_at" timestamptz(3) null, add "paused_by" varchar(255) null, add "pause_reason" text null;`);
  }
}

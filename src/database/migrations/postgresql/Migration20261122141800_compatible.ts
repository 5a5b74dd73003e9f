import { Migration } from '@mikro-orm/migrations';

/** Each request with a key takes an id, also one that fails, and rows stay for a day: the ids begin anew at their end. */
export class Migration20261122141800_compatible extends Migration {

  override name = 'Migration20261122141800_compatible';

  override up(): void | Promise<void> {
    this.addSql(`alter sequence "idempotency_record_id_seq" cycle;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter sequence "idempotency_record_id_seq" no cycle;`);
  }

}

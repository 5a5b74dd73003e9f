import { Migration } from '@mikro-orm/migrations';

/**
 * Who takes an id before another commits later may commit later: a reader who follows the ids then misses it. So an
 * audit event gets its id once no other transaction of its account has one that is not committed yet; the lock ends
 * with the transaction, after what it wrote is seen by others. An id that is given, as in a restored backup, stays.
 */
export class Migration20261122081900_compatible extends Migration {

  override name = 'Migration20261122081900_compatible';

  override up(): void | Promise<void> {
    this.addSql(`create function "give_audit_event_its_id"() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(1801812343, new."account_id"); new."id" := nextval('audit_event_id_seq'); return new; end $$;`);
    this.addSql(`create trigger "audit_event_id_in_order" before insert on "audit_event" for each row when (new."id" is null) execute function "give_audit_event_its_id"();`);
    this.addSql(`alter table "audit_event" alter column "id" drop default;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "audit_event" alter column "id" set default nextval('audit_event_id_seq');`);
    this.addSql(`drop trigger "audit_event_id_in_order" on "audit_event";`);
    this.addSql(`drop function "give_audit_event_its_id";`);
  }

}

import { Migration } from '@mikro-orm/migrations';

/** An erased account's audit events may lose what is personal in them. Subjects are found by how they begin, in bytes. */
export class Migration20261122154248_compatible extends Migration {

  override name = 'Migration20261122154248_compatible';

  override up(): void | Promise<void> {
    this.addSql(`alter table "account" add "blocked_at" timestamptz(3) null, add "block_reason" text null, add "erased_at" timestamptz(3) null;`);
    this.addSql(`create index "account_subject" on "account" ("subject" text_pattern_ops);`);
    this.addSql(`create index "api_key_prefix" on "api_key" ("key_prefix");`);

    this.addSql(`alter table "audit_event" add "actor" varchar(255) null, add "other_id" int null, add "reason" text null;`);
    this.addSql(`alter table "audit_event" add constraint "audit_event_other_id_foreign" foreign key ("other_id") references "account" ("id") on update no action on delete no action;`);
    this.addSql(`create index "audit_event_other" on "audit_event" ("other_id") where "other_id" is not null;`);

    this.addSql(`create or replace function "refuse_change_of_audit_event"() returns trigger language plpgsql as $$ begin
      if tg_op = 'UPDATE' then
        if to_jsonb(new) - array['address', 'details', 'reason'] = to_jsonb(old) - array['address', 'details', 'reason']
          and (new."address" is null or new."address" is not distinct from old."address")
          and (new."details" is null or new."details" is not distinct from old."details")
          and (new."reason" is null or new."reason" is not distinct from old."reason")
          and exists (select 1 from "account" where "id" in (old."account_id", old."other_id") and "erased_at" is not null)
        then return new; end if;
      end if;
      raise exception 'audit events are never changed';
    end $$;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`create or replace function "refuse_change_of_audit_event"() returns trigger language plpgsql as $$ begin raise exception 'audit events are never changed'; end $$;`);

    this.addSql(`alter table "audit_event" drop constraint "audit_event_other_id_foreign";`);

    this.addSql(`drop index "api_key_prefix";`);
    this.addSql(`drop index "account_subject";`);
    this.addSql(`alter table "account" drop column "blocked_at", drop column "block_reason", drop column "erased_at";`);

    this.addSql(`drop index "audit_event_other";`);
    this.addSql(`alter table "audit_event" drop column "actor", drop column "other_id", drop column "reason";`);
  }

}

import { Migration } from '@mikro-orm/migrations';

/**
 * An account may be an organisation's. An older node would take it for a person's, so none may run beside this.
 */
export class Migration20261128090000 extends Migration {
  override name = 'Migration20261128090000';

  override up(): void {
    this.addSql(`alter table "account" drop constraint "account_issuer_subject_unique";`);
    this.addSql(`alter table "account" add "kind" varchar(255) not null default 'person';`);
    this.addSql(`alter table "account" add constraint "account_issuer_subject_kind_unique" unique ("issuer", "subject", "kind");`);

    this.addSql(`alter table "api_key" add "created_by" int null;`);
    this.addSql(`create index "api_key_created_by" on "api_key" ("created_by") where "created_by" is not null;`);

    this.addSql(`alter table "webhook_event" add "member" int null;`);
    this.addSql(`create or replace function "note_webhook_event"() returns trigger language plpgsql as $$ begin
      if exists (select 1 from "webhook_endpoint" where "removed_at" is null) then
        insert into "webhook_event" ("account_id", "actor", "member", "action", "target", "reason", "details", "created_at")
        values (new."account_id", new."actor", case when new."actor" = 'member' then new."other_id" end, new."action", new."target", new."reason", new."details", new."created_at");
      end if;
      return null;
    end $$;`);
  }
}

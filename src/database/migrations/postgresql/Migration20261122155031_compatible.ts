import { Migration } from '@mikro-orm/migrations';

/** While there is an endpoint for webhooks, each change is noted for it by the database itself, whoever makes it. */
export class Migration20261122155031_compatible extends Migration {

  override name = 'Migration20261122155031_compatible';

  override up(): void | Promise<void> {
    this.addSql(`create table "webhook_clock" ("id" serial primary key, "expiries_told_until" timestamptz(3) not null);`);

    this.addSql(`create table "webhook_endpoint" ("id" serial primary key, "url" varchar(2048) not null, "events" text not null, "created_at" timestamptz(3) not null, "paused_at" timestamptz(3) null, "removed_at" timestamptz(3) null);`);
    this.addSql(`alter table "webhook_endpoint" add constraint "webhook_endpoint_url_unique" unique ("url");`);

    this.addSql(`create table "webhook_delivery" ("id" serial primary key, "endpoint_id" int not null, "account_id" int not null, "lane" varchar(255) not null, "message" varchar(255) not null, "type" varchar(255) not null, "payload" text not null, "state" varchar(255) not null, "attempts" int not null, "last_attempt_at" timestamptz(3) null, "last_outcome" varchar(255) null, "created_at" timestamptz(3) not null, "kept_until" timestamptz(3) not null);`);
    this.addSql(`create index "webhook_delivery_endpoint_id_index" on "webhook_delivery" ("endpoint_id");`);
    this.addSql(`create index "webhook_delivery_account_id_index" on "webhook_delivery" ("account_id");`);
    this.addSql(`create index "webhook_delivery_waiting" on "webhook_delivery" ("endpoint_id", "lane", "id") where "state" = 'waiting';`);
    this.addSql(`create index "webhook_delivery_state_kept_until_index" on "webhook_delivery" ("state", "kept_until");`);

    this.addSql(`create table "webhook_event" ("id" serial primary key, "account_id" int not null, "actor" varchar(255) null, "action" varchar(255) not null, "target" int null, "reason" text null, "details" text null, "created_at" timestamptz(3) not null);`);

    this.addSql(`create table "webhook_lane" ("id" serial primary key, "endpoint_id" int not null, "lane" varchar(255) not null, "due_at" timestamptz(3) not null);`);
    this.addSql(`create index "webhook_lane_endpoint_id_due_at_index" on "webhook_lane" ("endpoint_id", "due_at");`);
    this.addSql(`alter table "webhook_lane" add constraint "webhook_lane_endpoint_id_lane_unique" unique ("endpoint_id", "lane");`);

    this.addSql(`create index "api_key_expiry" on "api_key" ("expires_at") where "is_active" = true and "expires_at" is not null;`);

    this.addSql(`alter table "webhook_delivery" add constraint "webhook_delivery_endpoint_id_foreign" foreign key ("endpoint_id") references "webhook_endpoint" ("id");`);
    this.addSql(`alter table "webhook_delivery" add constraint "webhook_delivery_account_id_foreign" foreign key ("account_id") references "account" ("id");`);

    this.addSql(`alter table "webhook_event" add constraint "webhook_event_account_id_foreign" foreign key ("account_id") references "account" ("id");`);

    this.addSql(`alter table "webhook_lane" add constraint "webhook_lane_endpoint_id_foreign" foreign key ("endpoint_id") references "webhook_endpoint" ("id");`);

    this.addSql(`create function "note_webhook_event"() returns trigger language plpgsql as $$ begin
      if exists (select 1 from "webhook_endpoint" where "removed_at" is null) then
        insert into "webhook_event" ("account_id", "actor", "action", "target", "reason", "details", "created_at")
        values (new."account_id", new."actor", new."action", new."target", new."reason", new."details", new."created_at");
      end if;
      return null;
    end $$;`);
    // What an operator did is in two trails: it is told of where it was done to somebody.
    this.addSql(`create trigger "audit_event_to_webhooks" after insert on "audit_event" for each row when (new."other_id" is null or new."actor" is not null) execute function "note_webhook_event"();`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger "audit_event_to_webhooks" on "audit_event";`);
    this.addSql(`drop function "note_webhook_event";`);

    this.addSql(`alter table "webhook_delivery" drop constraint "webhook_delivery_endpoint_id_foreign";`);
    this.addSql(`alter table "webhook_lane" drop constraint "webhook_lane_endpoint_id_foreign";`);

    this.addSql(`drop table if exists "webhook_clock" cascade;`);
    this.addSql(`drop table if exists "webhook_endpoint" cascade;`);
    this.addSql(`drop table if exists "webhook_delivery" cascade;`);
    this.addSql(`drop table if exists "webhook_event" cascade;`);
    this.addSql(`drop table if exists "webhook_lane" cascade;`);

    this.addSql(`drop index "api_key_expiry";`);
  }

}

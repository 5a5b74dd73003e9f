import { Migration } from '@mikro-orm/migrations';

/** The schema of the first version. */
export class Migration20261123090000 extends Migration {
  override name = 'Migration20261123090000';

  override up(): void {
    this.addSql(`create table "account" ("id" serial primary key, "issuer" varchar(255) not null, "subject" varchar(255) not null, "created_at" timestamptz(3) not null, "blocked_at" timestamptz(3) null, "block_reason" text null, "erased_at" timestamptz(3) null, "is_being_erased" boolean not null default false);`);
    this.addSql(`create index "account_subject" on "account" ("subject" text_pattern_ops);`);
    this.addSql(`create index "account_being_erased" on "account" ("is_being_erased") where "is_being_erased" = true;`);
    this.addSql(`alter table "account" add constraint "account_issuer_subject_unique" unique ("issuer", "subject");`);

    this.addSql(`create table "account_use" ("account_id" int not null, "hour" timestamptz(3) not null, "outcome" varchar(255) not null, "count" bigint not null, primary key ("account_id", "hour", "outcome"));`);
    this.addSql(`create index "account_use_hour_index" on "account_use" ("hour");`);

    this.addSql(`create table "api_key" ("id" serial primary key, "account_id" int not null, "key_prefix" varchar(255) not null, "name" varchar(255) null, "is_active" boolean not null default true, "is_default" boolean not null default false, "encrypted_key" text null, "encryption_version" int not null default 1, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) null, "deactivated_at" timestamptz(3) null, "previous_works_until" timestamptz(3) null, "last_used_at" timestamptz(3) null, "permissions" text null, "metadata" text null, "allowed_addresses" text null, "rate_limit" int null, "rate_limit_window" int null);`);
    this.addSql(`create index "api_key_account_id_index" on "api_key" ("account_id");`);
    this.addSql(`create index "api_key_prefix" on "api_key" ("key_prefix");`);
    this.addSql(`create index "api_key_active" on "api_key" ("account_id") where "is_active" = true;`);
    this.addSql(`create index "api_key_expiry" on "api_key" ("expires_at") where "is_active" = true and "expires_at" is not null;`);
    this.addSql(`create index "api_key_sealed_version" on "api_key" ("encryption_version") where "encrypted_key" is not null;`);
    this.addSql(`create unique index "api_key_one_default" on "api_key" ("account_id") where "is_default" = true;`);

    this.addSql(`create table "api_key_quota" ("api_key_id" int not null, "units" int not null, "refill" varchar(255) not null, "taken" int not null, "refills_at" timestamptz(3) null, "generation" int not null, "exhausted_generation" int null, primary key ("api_key_id"));`);

    this.addSql(`create table "api_key_secret" ("id" serial primary key, "api_key_id" int not null, "digest" bytea not null, "pepper_version" int not null, "works_until" timestamptz(3) null, "is_imported" boolean not null default false, "leaked_at" timestamptz(3) null);`);
    this.addSql(`create index "api_key_secret_api_key_id_index" on "api_key_secret" ("api_key_id");`);
    this.addSql(`alter table "api_key_secret" add constraint "api_key_secret_digest_unique" unique ("digest");`);
    this.addSql(`create index "api_key_secret_pepper_version_index" on "api_key_secret" ("pepper_version");`);

    this.addSql(`create table "api_key_use" ("api_key_id" int not null, "hour" timestamptz(3) not null, "outcome" varchar(255) not null, "count" int not null, primary key ("api_key_id", "hour", "outcome"));`);
    this.addSql(`create index "api_key_use_hour_index" on "api_key_use" ("hour");`);

    this.addSql(`create table "audit_event" ("id" serial primary key, "account_id" int not null, "actor" varchar(255) null, "other_id" int null, "reason" text null, "action" varchar(255) not null, "target" int null, "request" varchar(255) not null, "address" varchar(255) null, "details" text null, "created_at" timestamptz(3) not null);`);
    this.addSql(`create index "audit_event_account_id_id_index" on "audit_event" ("account_id", "id");`);
    this.addSql(`create index "audit_event_other" on "audit_event" ("other_id") where "other_id" is not null;`);

    this.addSql(`create table "automation_settings" ("id" serial primary key, "account_id" int not null, "is_enabled" boolean null, "is_enabled_cleared" boolean not null default false, "session_duration" int null, "session_duration_cleared" boolean not null default false, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null);`);
    this.addSql(`alter table "automation_settings" add constraint "automation_settings_account_id_unique" unique ("account_id");`);

    this.addSql(`create table "idempotency_record" ("id" serial primary key, "account_id" int not null, "key_digest" bytea not null, "sealed_answer" text not null, "pepper_version" int not null, "created_at" timestamptz(3) not null);`);
    this.addSql(`create index "idempotency_record_created_at_index" on "idempotency_record" ("created_at");`);
    this.addSql(`alter table "idempotency_record" add constraint "idempotency_record_account_id_key_digest_unique" unique ("account_id", "key_digest");`);

    this.addSql(`create table "imported_form" ("id" serial primary key, "beginning" varchar(255) not null);`);
    this.addSql(`alter table "imported_form" add constraint "imported_form_beginning_unique" unique ("beginning");`);

    this.addSql(`create table "private_key" ("id" serial primary key, "account_id" int not null, "sealed_key" text not null, "encryption_version" int not null default 1, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null);`);
    this.addSql(`alter table "private_key" add constraint "private_key_account_id_unique" unique ("account_id");`);
    this.addSql(`create index "private_key_encryption_version_index" on "private_key" ("encryption_version");`);

    this.addSql(`create table "webhook_clock" ("id" serial primary key, "expiries_told_until" timestamptz(3) not null);`);

    this.addSql(`create table "webhook_endpoint" ("id" serial primary key, "url" varchar(2048) not null, "events" text not null, "created_at" timestamptz(3) not null, "paused_at" timestamptz(3) null, "removed_at" timestamptz(3) null, "sealed_secrets" text null, "encryption_version" int null, "secret_created_at" timestamptz(3) null, "previous_sign_until" timestamptz(3) null);`);
    this.addSql(`alter table "webhook_endpoint" add constraint "webhook_endpoint_url_unique" unique ("url");`);

    this.addSql(`create table "webhook_delivery" ("id" serial primary key, "endpoint_id" int not null, "account_id" int not null, "lane" varchar(255) not null, "message" varchar(255) not null, "type" varchar(255) not null, "payload" text not null, "state" varchar(255) not null, "attempts" int not null, "last_attempt_at" timestamptz(3) null, "last_outcome" varchar(255) null, "created_at" timestamptz(3) not null, "kept_until" timestamptz(3) not null);`);
    this.addSql(`create index "webhook_delivery_account_id_index" on "webhook_delivery" ("account_id");`);
    this.addSql(`create index "webhook_delivery_waiting" on "webhook_delivery" ("endpoint_id", "lane", "id") where "state" = 'waiting';`);
    this.addSql(`create index "webhook_delivery_state_kept_until_index" on "webhook_delivery" ("state", "kept_until");`);
    this.addSql(`create index "webhook_delivery_endpoint_id_id_index" on "webhook_delivery" ("endpoint_id", "id");`);
    this.addSql(`create index "webhook_delivery_parked" on "webhook_delivery" ("endpoint_id", "id") where "state" = 'parked';`);
    this.addSql(`create index "webhook_delivery_last_attempt" on "webhook_delivery" ("endpoint_id", "last_attempt_at") where "last_attempt_at" is not null;`);

    this.addSql(`create table "webhook_event" ("id" serial primary key, "account_id" int not null, "actor" varchar(255) null, "action" varchar(255) not null, "target" int null, "reason" text null, "details" text null, "created_at" timestamptz(3) not null);`);

    this.addSql(`create table "webhook_lane" ("id" serial primary key, "endpoint_id" int not null, "lane" varchar(255) not null, "due_at" timestamptz(3) not null);`);
    this.addSql(`create index "webhook_lane_endpoint_id_due_at_index" on "webhook_lane" ("endpoint_id", "due_at");`);
    this.addSql(`alter table "webhook_lane" add constraint "webhook_lane_endpoint_id_lane_unique" unique ("endpoint_id", "lane");`);

    this.addSql(`alter table "account_use" add constraint "account_use_account_id_foreign" foreign key ("account_id") references "account" ("id");`);

    this.addSql(`alter table "api_key" add constraint "api_key_account_id_foreign" foreign key ("account_id") references "account" ("id");`);

    this.addSql(`alter table "api_key_quota" add constraint "api_key_quota_api_key_id_foreign" foreign key ("api_key_id") references "api_key" ("id") on update cascade on delete cascade;`);

    this.addSql(`alter table "api_key_secret" add constraint "api_key_secret_api_key_id_foreign" foreign key ("api_key_id") references "api_key" ("id");`);

    this.addSql(`alter table "api_key_use" add constraint "api_key_use_api_key_id_foreign" foreign key ("api_key_id") references "api_key" ("id");`);

    this.addSql(`alter table "audit_event" add constraint "audit_event_account_id_foreign" foreign key ("account_id") references "account" ("id");`);
    this.addSql(`alter table "audit_event" add constraint "audit_event_other_id_foreign" foreign key ("other_id") references "account" ("id") on update no action on delete no action;`);

    this.addSql(`alter table "automation_settings" add constraint "automation_settings_account_id_foreign" foreign key ("account_id") references "account" ("id");`);

    this.addSql(`alter table "idempotency_record" add constraint "idempotency_record_account_id_foreign" foreign key ("account_id") references "account" ("id");`);

    this.addSql(`alter table "private_key" add constraint "private_key_account_id_foreign" foreign key ("account_id") references "account" ("id");`);

    this.addSql(`alter table "webhook_delivery" add constraint "webhook_delivery_endpoint_id_foreign" foreign key ("endpoint_id") references "webhook_endpoint" ("id");`);
    this.addSql(`alter table "webhook_delivery" add constraint "webhook_delivery_account_id_foreign" foreign key ("account_id") references "account" ("id");`);

    this.addSql(`alter table "webhook_event" add constraint "webhook_event_account_id_foreign" foreign key ("account_id") references "account" ("id");`);

    this.addSql(`alter table "webhook_lane" add constraint "webhook_lane_endpoint_id_foreign" foreign key ("endpoint_id") references "webhook_endpoint" ("id");`);

        // What no entity says.
    //
    // What nodes count together, for rate limits: the table of the library that counts. It is not logged: a crash may
    // empty it, and counting waits for no disk.
    this.addSql(`create unlogged table "rate_limit" ("key" varchar(255) primary key, "points" integer not null, "expire" bigint not null);`);

    // Each request with a key takes an id, also one that fails, and rows stay for a day: the ids begin anew at their end.
    this.addSql(`alter sequence "idempotency_record_id_seq" cycle;`);

    // Audit events are never changed. An erased account's may lose what is personal in them. TRUNCATE fires no trigger
    // of rows, so it has one of its own.
    this.addSql(`create function "refuse_change_of_audit_event"() returns trigger language plpgsql as $$ begin
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
    this.addSql(`create trigger "audit_event_no_change" before update or delete on "audit_event" for each row execute function "refuse_change_of_audit_event"();`);
    this.addSql(`create trigger "audit_event_no_truncate" before truncate on "audit_event" for each statement execute function "refuse_change_of_audit_event"();`);

    // Who takes an id before another commits later may commit later: a reader who follows the ids then misses it. So an
    // audit event gets its id once no other transaction of its account has one that is not committed yet; the lock ends
    // with the transaction, after what it wrote is seen by others. An id that is given, as in a restored backup, stays.
    this.addSql(`create function "give_audit_event_its_id"() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(1801812343, new."account_id"); new."id" := nextval('audit_event_id_seq'); return new; end $$;`);
    this.addSql(`create trigger "audit_event_id_in_order" before insert on "audit_event" for each row when (new."id" is null) execute function "give_audit_event_its_id"();`);
    this.addSql(`alter table "audit_event" alter column "id" drop default;`);

    // While there is an endpoint for webhooks, the database itself notes each change for it, whoever makes it. An
    // operator's act is in two trails; the one of the account that it was done to is noted.
    this.addSql(`create function "note_webhook_event"() returns trigger language plpgsql as $$ begin
      if exists (select 1 from "webhook_endpoint" where "removed_at" is null) then
        insert into "webhook_event" ("account_id", "actor", "action", "target", "reason", "details", "created_at")
        values (new."account_id", new."actor", new."action", new."target", new."reason", new."details", new."created_at");
      end if;
      return null;
    end $$;`);
    this.addSql(`create trigger "audit_event_to_webhooks" after insert on "audit_event" for each row when (new."other_id" is null or new."actor" is not null) execute function "note_webhook_event"();`);
  }
}

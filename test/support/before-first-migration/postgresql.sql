create table "account" ("id" serial primary key, "issuer" varchar(255) not null, "subject" varchar(255) not null, "created_at" timestamptz(3) not null);
alter table "account" add constraint "account_issuer_subject_unique" unique ("issuer", "subject");
create table "api_key" ("id" serial primary key, "account_id" int not null, "key_prefix" varchar(255) not null, "name" varchar(255) null, "is_active" boolean not null default true, "is_default" boolean not null default false, "encrypted_key" text null, "encryption_version" int not null default 1, "created_at" timestamptz(3) not null);
create index "api_key_account_id_index" on "api_key" ("account_id");
create unique index "api_key_one_default" on "api_key" ("account_id") where "is_default" = true;
create table "automation_settings" ("id" serial primary key, "account_id" int not null, "is_enabled" boolean null, "session_duration" int null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null);
alter table "automation_settings" add constraint "automation_settings_account_id_unique" unique ("account_id");
create table "private_key" ("id" serial primary key, "account_id" int not null, "sealed_key" text not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null);
alter table "private_key" add constraint "private_key_account_id_unique" unique ("account_id");
alter table "api_key" add constraint "api_key_account_id_foreign" foreign key ("account_id") references "account" ("id");
alter table "automation_settings" add constraint "automation_settings_account_id_foreign" foreign key ("account_id") references "account" ("id");
alter table "private_key" add constraint "private_key_account_id_foreign" foreign key ("account_id") references "account" ("id");
insert into mikro_orm_migrations (name) values ('Migration20261121094425');
create table "api_key_secret" ("id" serial primary key, "api_key_id" int not null, "digest" bytea not null, "pepper_version" int not null, "works_until" timestamptz(3) null);
create index "api_key_secret_api_key_id_index" on "api_key_secret" ("api_key_id");
alter table "api_key_secret" add constraint "api_key_secret_digest_unique" unique ("digest");
create table "audit_event" ("id" serial primary key, "account_id" int not null, "action" varchar(255) not null, "target" int null, "request" varchar(255) not null, "address" varchar(255) null, "created_at" timestamptz(3) not null);
create index "audit_event_account_id_id_index" on "audit_event" ("account_id", "id");
alter table "api_key" add "expires_at" timestamptz(3) null, add "deactivated_at" timestamptz(3) null, add "last_used_at" timestamptz(3) null;
alter table "private_key" add "encryption_version" int not null default 1;
alter table "api_key_secret" add constraint "api_key_secret_api_key_id_foreign" foreign key ("api_key_id") references "api_key" ("id");
alter table "audit_event" add constraint "audit_event_account_id_foreign" foreign key ("account_id") references "account" ("id");
create function "refuse_change_of_audit_event"() returns trigger language plpgsql as $$ begin raise exception 'audit events are never changed'; end $$;
create trigger "audit_event_no_change" before update or delete on "audit_event" for each row execute function "refuse_change_of_audit_event"();
insert into mikro_orm_migrations (name) values ('Migration20261121125844');
create index "api_key_sealed_version" on "api_key" ("encryption_version") where "encrypted_key" is not null;
create index "api_key_secret_pepper_version_index" on "api_key_secret" ("pepper_version");
create index "private_key_encryption_version_index" on "private_key" ("encryption_version");
insert into mikro_orm_migrations (name) values ('Migration20261121132408');
create unlogged table "rate_limit" ("key" varchar(255) primary key, "points" integer not null, "expire" bigint not null);
insert into mikro_orm_migrations (name) values ('Migration20261121151000');
create trigger "audit_event_no_truncate" before truncate on "audit_event" for each statement execute function "refuse_change_of_audit_event"();
insert into mikro_orm_migrations (name) values ('Migration20261122043115');
create index "api_key_active" on "api_key" ("account_id") where "is_active" = true;
insert into mikro_orm_migrations (name) values ('Migration20261122054714');
create function "give_audit_event_its_id"() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(1801812343, new."account_id"); new."id" := nextval('audit_event_id_seq'); return new; end $$;
create trigger "audit_event_id_in_order" before insert on "audit_event" for each row when (new."id" is null) execute function "give_audit_event_its_id"();
alter table "audit_event" alter column "id" drop default;
insert into mikro_orm_migrations (name) values ('Migration20261122081900_compatible');
alter table "automation_settings" add "is_enabled_cleared" boolean not null default false, add "session_duration_cleared" boolean not null default false;
insert into mikro_orm_migrations (name) values ('Migration20261122124121_compatible');
create table "idempotency_record" ("id" serial primary key, "account_id" int not null, "key_digest" bytea not null, "sealed_answer" text not null, "pepper_version" int not null, "created_at" timestamptz(3) not null);
create index "idempotency_record_created_at_index" on "idempotency_record" ("created_at");
alter table "idempotency_record" add constraint "idempotency_record_account_id_key_digest_unique" unique ("account_id", "key_digest");
alter table "idempotency_record" add constraint "idempotency_record_account_id_foreign" foreign key ("account_id") references "account" ("id");
insert into mikro_orm_migrations (name) values ('Migration20261122124635_compatible');
alter table "api_key" add "previous_works_until" timestamptz(3) null;
insert into mikro_orm_migrations (name) values ('Migration20261122134206_compatible');
alter sequence "idempotency_record_id_seq" cycle;
insert into mikro_orm_migrations (name) values ('Migration20261122141800_compatible');
create table "api_key_quota" ("api_key_id" int not null, "units" int not null, "refill" varchar(255) not null, "taken" int not null, "refills_at" timestamptz(3) null, "generation" int not null, primary key ("api_key_id"));
create table "api_key_use" ("api_key_id" int not null, "hour" timestamptz(3) not null, "outcome" varchar(255) not null, "count" int not null, primary key ("api_key_id", "hour", "outcome"));
create index "api_key_use_hour_index" on "api_key_use" ("hour");
alter table "api_key" add "permissions" text null, add "metadata" text null, add "allowed_addresses" text null, add "rate_limit" int null, add "rate_limit_window" int null;
alter table "audit_event" add "details" text null;
alter table "api_key_quota" add constraint "api_key_quota_api_key_id_foreign" foreign key ("api_key_id") references "api_key" ("id") on update cascade on delete cascade;
alter table "api_key_use" add constraint "api_key_use_api_key_id_foreign" foreign key ("api_key_id") references "api_key" ("id");
insert into mikro_orm_migrations (name) values ('Migration20261122152740_compatible');
alter table "account" add "blocked_at" timestamptz(3) null, add "block_reason" text null, add "erased_at" timestamptz(3) null;
create index "account_subject" on "account" ("subject" text_pattern_ops);
create index "api_key_prefix" on "api_key" ("key_prefix");
alter table "audit_event" add "actor" varchar(255) null, add "other_id" int null, add "reason" text null;
alter table "audit_event" add constraint "audit_event_other_id_foreign" foreign key ("other_id") references "account" ("id") on update no action on delete no action;
create index "audit_event_other" on "audit_event" ("other_id") where "other_id" is not null;
create or replace function "refuse_change_of_audit_event"() returns trigger language plpgsql as $$ begin
      if tg_op = 'UPDATE' then
        if to_jsonb(new) - array['address', 'details', 'reason'] = to_jsonb(old) - array['address', 'details', 'reason']
          and (new."address" is null or new."address" is not distinct from old."address")
          and (new."details" is null or new."details" is not distinct from old."details")
          and (new."reason" is null or new."reason" is not distinct from old."reason")
          and exists (select 1 from "account" where "id" in (old."account_id", old."other_id") and "erased_at" is not null)
        then return new; end if;
      end if;
      raise exception 'audit events are never changed';
    end $$;
insert into mikro_orm_migrations (name) values ('Migration20261122154248_compatible');
create table "webhook_clock" ("id" serial primary key, "expiries_told_until" timestamptz(3) not null);
create table "webhook_endpoint" ("id" serial primary key, "url" varchar(2048) not null, "events" text not null, "created_at" timestamptz(3) not null, "paused_at" timestamptz(3) null, "removed_at" timestamptz(3) null);
alter table "webhook_endpoint" add constraint "webhook_endpoint_url_unique" unique ("url");
create table "webhook_delivery" ("id" serial primary key, "endpoint_id" int not null, "account_id" int not null, "lane" varchar(255) not null, "message" varchar(255) not null, "type" varchar(255) not null, "payload" text not null, "state" varchar(255) not null, "attempts" int not null, "last_attempt_at" timestamptz(3) null, "last_outcome" varchar(255) null, "created_at" timestamptz(3) not null, "kept_until" timestamptz(3) not null);
create index "webhook_delivery_endpoint_id_index" on "webhook_delivery" ("endpoint_id");
create index "webhook_delivery_account_id_index" on "webhook_delivery" ("account_id");
create index "webhook_delivery_waiting" on "webhook_delivery" ("endpoint_id", "lane", "id") where "state" = 'waiting';
create index "webhook_delivery_state_kept_until_index" on "webhook_delivery" ("state", "kept_until");
create table "webhook_event" ("id" serial primary key, "account_id" int not null, "actor" varchar(255) null, "action" varchar(255) not null, "target" int null, "reason" text null, "details" text null, "created_at" timestamptz(3) not null);
create table "webhook_lane" ("id" serial primary key, "endpoint_id" int not null, "lane" varchar(255) not null, "due_at" timestamptz(3) not null);
create index "webhook_lane_endpoint_id_due_at_index" on "webhook_lane" ("endpoint_id", "due_at");
alter table "webhook_lane" add constraint "webhook_lane_endpoint_id_lane_unique" unique ("endpoint_id", "lane");
create index "api_key_expiry" on "api_key" ("expires_at") where "is_active" = true and "expires_at" is not null;
alter table "webhook_delivery" add constraint "webhook_delivery_endpoint_id_foreign" foreign key ("endpoint_id") references "webhook_endpoint" ("id");
alter table "webhook_delivery" add constraint "webhook_delivery_account_id_foreign" foreign key ("account_id") references "account" ("id");
alter table "webhook_event" add constraint "webhook_event_account_id_foreign" foreign key ("account_id") references "account" ("id");
alter table "webhook_lane" add constraint "webhook_lane_endpoint_id_foreign" foreign key ("endpoint_id") references "webhook_endpoint" ("id");
create function "note_webhook_event"() returns trigger language plpgsql as $$ begin
      if exists (select 1 from "webhook_endpoint" where "removed_at" is null) then
        insert into "webhook_event" ("account_id", "actor", "action", "target", "reason", "details", "created_at")
        values (new."account_id", new."actor", new."action", new."target", new."reason", new."details", new."created_at");
      end if;
      return null;
    end $$;
create trigger "audit_event_to_webhooks" after insert on "audit_event" for each row when (new."other_id" is null or new."actor" is not null) execute function "note_webhook_event"();
insert into mikro_orm_migrations (name) values ('Migration20261122155031_compatible');
create table "api_key_lease" ("api_key_id" int not null, "node" varchar(255) not null, "generation" int not null, "units" int not null, "expires_at" timestamptz(3) not null, primary key ("api_key_id", "node"));
create index "api_key_lease_expires_at_index" on "api_key_lease" ("expires_at");
alter table "api_key_lease" add constraint "api_key_lease_api_key_id_foreign" foreign key ("api_key_id") references "api_key" ("id") on delete cascade;
insert into mikro_orm_migrations (name) values ('Migration20261122163257_compatible');
create table "account_use" ("account_id" int not null, "hour" timestamptz(3) not null, "outcome" varchar(255) not null, "count" bigint not null, primary key ("account_id", "hour", "outcome"));
create index "account_use_hour_index" on "account_use" ("hour");
alter table "account_use" add constraint "account_use_account_id_foreign" foreign key ("account_id") references "account" ("id");
insert into account_use (account_id, hour, outcome, count)
      select api_key.account_id, api_key_use.hour, api_key_use.outcome, sum(api_key_use.count)
      from api_key_use join api_key on api_key.id = api_key_use.api_key_id
      group by api_key.account_id, api_key_use.hour, api_key_use.outcome;
insert into mikro_orm_migrations (name) values ('Migration20261122185330_compatible');
alter table "api_key_quota" add "exhausted_generation" int null;
alter table "webhook_endpoint" add "sealed_secrets" text null, add "encryption_version" int null, add "secret_created_at" timestamptz(3) null, add "previous_sign_until" timestamptz(3) null;
drop index "webhook_delivery_endpoint_id_index";
create index "webhook_delivery_endpoint_id_id_index" on "webhook_delivery" ("endpoint_id", "id");
create index "webhook_delivery_parked" on "webhook_delivery" ("endpoint_id", "id") where "state" = 'parked';
create index "webhook_delivery_last_attempt" on "webhook_delivery" ("endpoint_id", "last_attempt_at") where "last_attempt_at" is not null;
insert into mikro_orm_migrations (name) values ('Migration20261122190213_compatible');
create table "imported_form" ("id" serial primary key, "beginning" varchar(255) not null);
alter table "imported_form" add constraint "imported_form_beginning_unique" unique ("beginning");
alter table "api_key_secret" add "is_imported" boolean not null default false;
insert into mikro_orm_migrations (name) values ('Migration20261122190300_compatible');
alter table "api_key_secret" add "leaked_at" timestamptz(3) null;
insert into mikro_orm_migrations (name) values ('Migration20261122191709_compatible');

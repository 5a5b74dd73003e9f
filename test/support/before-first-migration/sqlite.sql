create table `account` (`id` integer not null primary key autoincrement, `issuer` text not null, `subject` text not null, `created_at` datetime not null);
create unique index `account_issuer_subject_unique` on `account` (`issuer`, `subject`);
create table `api_key` (`id` integer not null primary key autoincrement, `account_id` integer not null, `key_prefix` text not null, `name` text null, `is_active` integer not null default true, `is_default` integer not null default false, `encrypted_key` text null, `encryption_version` integer not null default 1, `created_at` datetime not null, constraint `api_key_account_id_foreign` foreign key (`account_id`) references `account` (`id`));
create index `api_key_account_id_index` on `api_key` (`account_id`);
create unique index `api_key_one_default` on `api_key` (`account_id`) where `is_default` = true;
create table `automation_settings` (`id` integer not null primary key autoincrement, `account_id` integer not null, `is_enabled` integer null, `session_duration` integer null, `created_at` datetime not null, `updated_at` datetime not null, constraint `automation_settings_account_id_foreign` foreign key (`account_id`) references `account` (`id`));
create unique index `automation_settings_account_id_unique` on `automation_settings` (`account_id`);
create table `private_key` (`id` integer not null primary key autoincrement, `account_id` integer not null, `sealed_key` text not null, `created_at` datetime not null, `updated_at` datetime not null, constraint `private_key_account_id_foreign` foreign key (`account_id`) references `account` (`id`));
create unique index `private_key_account_id_unique` on `private_key` (`account_id`);
insert into mikro_orm_migrations (name) values ('Migration20261121090135');
create table `api_key_secret` (`id` integer not null primary key autoincrement, `api_key_id` integer not null, `digest` blob not null, `pepper_version` integer not null, `works_until` datetime null, constraint `api_key_secret_api_key_id_foreign` foreign key (`api_key_id`) references `api_key` (`id`));
create index `api_key_secret_api_key_id_index` on `api_key_secret` (`api_key_id`);
create unique index `api_key_secret_digest_unique` on `api_key_secret` (`digest`);
create table `audit_event` (`id` integer not null primary key autoincrement, `account_id` integer not null, `action` text not null, `target` integer null, `request` text not null, `address` text null, `created_at` datetime not null, constraint `audit_event_account_id_foreign` foreign key (`account_id`) references `account` (`id`));
create index `audit_event_account_id_index` on `audit_event` (`account_id`);
create index `audit_event_account_id_id_index` on `audit_event` (`account_id`, `id`);
alter table `api_key` add column `expires_at` datetime null;
alter table `api_key` add column `deactivated_at` datetime null;
alter table `api_key` add column `last_used_at` datetime null;
alter table `private_key` add column `encryption_version` integer not null default 1;
create trigger `audit_event_no_update` before update on `audit_event` begin select raise(abort, 'audit events are never changed'); end;
create trigger `audit_event_no_delete` before delete on `audit_event` begin select raise(abort, 'audit events are never deleted'); end;
insert into mikro_orm_migrations (name) values ('Migration20261121125839');
create index `api_key_sealed_version` on `api_key` (`encryption_version`) where `encrypted_key` is not null;
create index `api_key_secret_pepper_version_index` on `api_key_secret` (`pepper_version`);
create index `private_key_encryption_version_index` on `private_key` (`encryption_version`);
insert into mikro_orm_migrations (name) values ('Migration20261121132403');
create trigger `audit_event_no_replace` before insert on `audit_event` when exists (select 1 from `audit_event` where `id` = new.`id`) begin select raise(abort, 'audit events are never replaced'); end;
insert into mikro_orm_migrations (name) values ('Migration20261122043110');
create index `api_key_active` on `api_key` (`account_id`) where `is_active` = true;
insert into mikro_orm_migrations (name) values ('Migration20261122054304');
alter table `automation_settings` add column `is_enabled_cleared` integer not null default false;
alter table `automation_settings` add column `session_duration_cleared` integer not null default false;
insert into mikro_orm_migrations (name) values ('Migration20261122124118_compatible');
create table `idempotency_record` (`id` integer not null primary key autoincrement, `account_id` integer not null, `key_digest` blob not null, `sealed_answer` text not null, `pepper_version` integer not null, `created_at` datetime not null, constraint `idempotency_record_account_id_foreign` foreign key (`account_id`) references `account` (`id`));
create index `idempotency_record_account_id_index` on `idempotency_record` (`account_id`);
create index `idempotency_record_created_at_index` on `idempotency_record` (`created_at`);
create unique index `idempotency_record_account_id_key_digest_unique` on `idempotency_record` (`account_id`, `key_digest`);
insert into mikro_orm_migrations (name) values ('Migration20261122124632_compatible');
alter table `api_key` add column `previous_works_until` datetime null;
insert into mikro_orm_migrations (name) values ('Migration20261122134204_compatible');
create table `api_key_quota` (`api_key_id` integer not null primary key, `units` integer not null, `refill` text not null, `taken` integer not null, `refills_at` datetime null, `generation` integer not null, constraint `api_key_quota_api_key_id_foreign` foreign key (`api_key_id`) references `api_key` (`id`) on update cascade on delete cascade);
create table `api_key_use` (`api_key_id` integer not null, `hour` datetime not null, `outcome` text not null, `count` integer not null, primary key (`api_key_id`, `hour`, `outcome`), constraint `api_key_use_api_key_id_foreign` foreign key (`api_key_id`) references `api_key` (`id`));
create index `api_key_use_api_key_id_index` on `api_key_use` (`api_key_id`);
create index `api_key_use_hour_index` on `api_key_use` (`hour`);
alter table `api_key` add column `permissions` text null;
alter table `api_key` add column `metadata` text null;
alter table `api_key` add column `allowed_addresses` text null;
alter table `api_key` add column `rate_limit` integer null;
alter table `api_key` add column `rate_limit_window` integer null;
alter table `audit_event` add column `details` text null;
insert into mikro_orm_migrations (name) values ('Migration20261122152739_compatible');
alter table `account` add column `blocked_at` datetime null;
alter table `account` add column `block_reason` text null;
alter table `account` add column `erased_at` datetime null;
create index `account_subject` on `account` (`subject`);
create index `api_key_prefix` on `api_key` (`key_prefix`);
alter table `audit_event` add column `actor` text null;
alter table `audit_event` add column `other_id` integer null constraint `audit_event_other_id_foreign` references `account` (`id`) on update no action on delete no action;
alter table `audit_event` add column `reason` text null;
create index `audit_event_other` on `audit_event` (`other_id`) where `other_id` is not null;
drop trigger `audit_event_no_update`;
create trigger `audit_event_no_update` before update on `audit_event` when not (
      new.`id` is old.`id` and new.`account_id` is old.`account_id` and new.`actor` is old.`actor` and new.`other_id` is old.`other_id`
      and new.`action` is old.`action` and new.`target` is old.`target` and new.`request` is old.`request` and new.`created_at` is old.`created_at`
      and (new.`address` is null or new.`address` is old.`address`)
      and (new.`details` is null or new.`details` is old.`details`)
      and (new.`reason` is null or new.`reason` is old.`reason`)
      and exists (select 1 from `account` where `id` in (old.`account_id`, old.`other_id`) and `erased_at` is not null)
    ) begin select raise(abort, 'audit events are never changed'); end;
insert into mikro_orm_migrations (name) values ('Migration20261122154245_compatible');
create table `webhook_clock` (`id` integer not null primary key autoincrement, `expiries_told_until` datetime not null);
create table `webhook_endpoint` (`id` integer not null primary key autoincrement, `url` text not null, `events` text not null, `created_at` datetime not null, `paused_at` datetime null, `removed_at` datetime null);
create unique index `webhook_endpoint_url_unique` on `webhook_endpoint` (`url`);
create table `webhook_delivery` (`id` integer not null primary key autoincrement, `endpoint_id` integer not null, `account_id` integer not null, `lane` text not null, `message` text not null, `type` text not null, `payload` text not null, `state` text not null, `attempts` integer not null, `last_attempt_at` datetime null, `last_outcome` text null, `created_at` datetime not null, `kept_until` datetime not null, constraint `webhook_delivery_endpoint_id_foreign` foreign key (`endpoint_id`) references `webhook_endpoint` (`id`), constraint `webhook_delivery_account_id_foreign` foreign key (`account_id`) references `account` (`id`));
create index `webhook_delivery_endpoint_id_index` on `webhook_delivery` (`endpoint_id`);
create index `webhook_delivery_account_id_index` on `webhook_delivery` (`account_id`);
create index `webhook_delivery_waiting` on `webhook_delivery` (`endpoint_id`, `lane`, `id`) where `state` = 'waiting';
create index `webhook_delivery_state_kept_until_index` on `webhook_delivery` (`state`, `kept_until`);
create table `webhook_event` (`id` integer not null primary key autoincrement, `account_id` integer not null, `actor` text null, `action` text not null, `target` integer null, `reason` text null, `details` text null, `created_at` datetime not null, constraint `webhook_event_account_id_foreign` foreign key (`account_id`) references `account` (`id`));
create index `webhook_event_account_id_index` on `webhook_event` (`account_id`);
create table `webhook_lane` (`id` integer not null primary key autoincrement, `endpoint_id` integer not null, `lane` text not null, `due_at` datetime not null, constraint `webhook_lane_endpoint_id_foreign` foreign key (`endpoint_id`) references `webhook_endpoint` (`id`));
create index `webhook_lane_endpoint_id_index` on `webhook_lane` (`endpoint_id`);
create index `webhook_lane_endpoint_id_due_at_index` on `webhook_lane` (`endpoint_id`, `due_at`);
create unique index `webhook_lane_endpoint_id_lane_unique` on `webhook_lane` (`endpoint_id`, `lane`);
create index `api_key_expiry` on `api_key` (`expires_at`) where `is_active` = true and `expires_at` is not null;
create trigger `audit_event_to_webhooks` after insert on `audit_event`
      when (new.`other_id` is null or new.`actor` is not null)
        and exists (select 1 from `webhook_endpoint` where `removed_at` is null)
      begin
        insert into `webhook_event` (`account_id`, `actor`, `action`, `target`, `reason`, `details`, `created_at`)
        values (new.`account_id`, new.`actor`, new.`action`, new.`target`, new.`reason`, new.`details`, new.`created_at`);
      end;
insert into mikro_orm_migrations (name) values ('Migration20261122155028_compatible');
create table `api_key_lease` (`api_key_id` integer not null, `node` text not null, `generation` integer not null, `units` integer not null, `expires_at` datetime not null, primary key (`api_key_id`, `node`), constraint `api_key_lease_api_key_id_foreign` foreign key (`api_key_id`) references `api_key` (`id`) on delete cascade);
create index `api_key_lease_api_key_id_index` on `api_key_lease` (`api_key_id`);
create index `api_key_lease_expires_at_index` on `api_key_lease` (`expires_at`);
insert into mikro_orm_migrations (name) values ('Migration20261122163252_compatible');
create table `account_use` (`account_id` integer not null, `hour` datetime not null, `outcome` text not null, `count` bigint not null, primary key (`account_id`, `hour`, `outcome`), constraint `account_use_account_id_foreign` foreign key (`account_id`) references `account` (`id`));
create index `account_use_account_id_index` on `account_use` (`account_id`);
create index `account_use_hour_index` on `account_use` (`hour`);
insert into account_use (account_id, hour, outcome, count)
      select api_key.account_id, api_key_use.hour, api_key_use.outcome, sum(api_key_use.count)
      from api_key_use join api_key on api_key.id = api_key_use.api_key_id
      group by api_key.account_id, api_key_use.hour, api_key_use.outcome;
insert into mikro_orm_migrations (name) values ('Migration20261122185329_compatible');
alter table `api_key_quota` add column `exhausted_generation` integer null;
alter table `webhook_endpoint` add column `sealed_secrets` text null;
alter table `webhook_endpoint` add column `encryption_version` integer null;
alter table `webhook_endpoint` add column `secret_created_at` datetime null;
alter table `webhook_endpoint` add column `previous_sign_until` datetime null;
create index `webhook_delivery_endpoint_id_id_index` on `webhook_delivery` (`endpoint_id`, `id`);
create index `webhook_delivery_parked` on `webhook_delivery` (`endpoint_id`, `id`) where `state` = 'parked';
create index `webhook_delivery_last_attempt` on `webhook_delivery` (`endpoint_id`, `last_attempt_at`) where `last_attempt_at` is not null;
insert into mikro_orm_migrations (name) values ('Migration20261122190209_compatible');
create table `imported_form` (`id` integer not null primary key autoincrement, `beginning` text not null);
create unique index `imported_form_beginning_unique` on `imported_form` (`beginning`);
alter table `api_key_secret` add column `is_imported` integer not null default false;
insert into mikro_orm_migrations (name) values ('Migration20261122190240_compatible');
alter table `api_key_secret` add column `leaked_at` datetime null;
insert into mikro_orm_migrations (name) values ('Migration20261122191707_compatible');

import { Migration } from '@mikro-orm/migrations';

/** The schema of the first version. */
export class Migration20261123090000 extends Migration {
  override name = 'Migration20261123090000';

  override up(): void {
    this.addSql(`create table \`account\` (\`id\` integer not null primary key autoincrement, \`issuer\` text not null, \`subject\` text not null, \`created_at\` datetime not null, \`blocked_at\` datetime null, \`block_reason\` text null, \`erased_at\` datetime null, \`is_being_erased\` integer not null default false);`);
    this.addSql(`create index \`account_subject\` on \`account\` (\`subject\`);`);
    this.addSql(`create index \`account_being_erased\` on \`account\` (\`is_being_erased\`) where \`is_being_erased\` = true;`);
    this.addSql(`create unique index \`account_issuer_subject_unique\` on \`account\` (\`issuer\`, \`subject\`);`);

    this.addSql(`create table \`account_use\` (\`account_id\` integer not null, \`hour\` datetime not null, \`outcome\` text not null, \`count\` bigint not null, primary key (\`account_id\`, \`hour\`, \`outcome\`), constraint \`account_use_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create index \`account_use_account_id_index\` on \`account_use\` (\`account_id\`);`);
    this.addSql(`create index \`account_use_hour_index\` on \`account_use\` (\`hour\`);`);

    this.addSql(`create table \`api_key\` (\`id\` integer not null primary key autoincrement, \`account_id\` integer not null, \`key_prefix\` text not null, \`name\` text null, \`is_active\` integer not null default true, \`is_default\` integer not null default false, \`encrypted_key\` text null, \`encryption_version\` integer not null default 1, \`created_at\` datetime not null, \`expires_at\` datetime null, \`deactivated_at\` datetime null, \`previous_works_until\` datetime null, \`last_used_at\` datetime null, \`permissions\` text null, \`metadata\` text null, \`allowed_addresses\` text null, \`rate_limit\` integer null, \`rate_limit_window\` integer null, constraint \`api_key_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create index \`api_key_account_id_index\` on \`api_key\` (\`account_id\`);`);
    this.addSql(`create index \`api_key_prefix\` on \`api_key\` (\`key_prefix\`);`);
    this.addSql(`create index \`api_key_active\` on \`api_key\` (\`account_id\`) where \`is_active\` = true;`);
    this.addSql(`create index \`api_key_expiry\` on \`api_key\` (\`expires_at\`) where \`is_active\` = true and \`expires_at\` is not null;`);
    this.addSql(`create index \`api_key_sealed_version\` on \`api_key\` (\`encryption_version\`) where \`encrypted_key\` is not null;`);
    this.addSql(`create unique index \`api_key_one_default\` on \`api_key\` (\`account_id\`) where \`is_default\` = true;`);

    this.addSql(`create table \`api_key_quota\` (\`api_key_id\` integer not null primary key, \`units\` integer not null, \`refill\` text not null, \`taken\` integer not null, \`refills_at\` datetime null, \`generation\` integer not null, \`exhausted_generation\` integer null, constraint \`api_key_quota_api_key_id_foreign\` foreign key (\`api_key_id\`) references \`api_key\` (\`id\`) on update cascade on delete cascade);`);

    this.addSql(`create table \`api_key_secret\` (\`id\` integer not null primary key autoincrement, \`api_key_id\` integer not null, \`digest\` blob not null, \`pepper_version\` integer not null, \`works_until\` datetime null, \`is_imported\` integer not null default false, \`leaked_at\` datetime null, constraint \`api_key_secret_api_key_id_foreign\` foreign key (\`api_key_id\`) references \`api_key\` (\`id\`));`);
    this.addSql(`create index \`api_key_secret_api_key_id_index\` on \`api_key_secret\` (\`api_key_id\`);`);
    this.addSql(`create unique index \`api_key_secret_digest_unique\` on \`api_key_secret\` (\`digest\`);`);
    this.addSql(`create index \`api_key_secret_pepper_version_index\` on \`api_key_secret\` (\`pepper_version\`);`);

    this.addSql(`create table \`api_key_use\` (\`api_key_id\` integer not null, \`hour\` datetime not null, \`outcome\` text not null, \`count\` integer not null, primary key (\`api_key_id\`, \`hour\`, \`outcome\`), constraint \`api_key_use_api_key_id_foreign\` foreign key (\`api_key_id\`) references \`api_key\` (\`id\`));`);
    this.addSql(`create index \`api_key_use_api_key_id_index\` on \`api_key_use\` (\`api_key_id\`);`);
    this.addSql(`create index \`api_key_use_hour_index\` on \`api_key_use\` (\`hour\`);`);

    this.addSql(`create table \`audit_event\` (\`id\` integer not null primary key autoincrement, \`account_id\` integer not null, \`actor\` text null, \`other_id\` integer null, \`reason\` text null, \`action\` text not null, \`target\` integer null, \`request\` text not null, \`address\` text null, \`details\` text null, \`created_at\` datetime not null, constraint \`audit_event_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`), constraint \`audit_event_other_id_foreign\` foreign key (\`other_id\`) references \`account\` (\`id\`) on update no action on delete no action);`);
    this.addSql(`create index \`audit_event_account_id_index\` on \`audit_event\` (\`account_id\`);`);
    this.addSql(`create index \`audit_event_account_id_id_index\` on \`audit_event\` (\`account_id\`, \`id\`);`);
    this.addSql(`create index \`audit_event_other\` on \`audit_event\` (\`other_id\`) where \`other_id\` is not null;`);

    this.addSql(`create table \`automation_settings\` (\`id\` integer not null primary key autoincrement, \`account_id\` integer not null, \`is_enabled\` integer null, \`is_enabled_cleared\` integer not null default false, \`session_duration\` integer null, \`session_duration_cleared\` integer not null default false, \`created_at\` datetime not null, \`updated_at\` datetime not null, constraint \`automation_settings_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create unique index \`automation_settings_account_id_unique\` on \`automation_settings\` (\`account_id\`);`);

    this.addSql(`create table \`idempotency_record\` (\`id\` integer not null primary key autoincrement, \`account_id\` integer not null, \`key_digest\` blob not null, \`sealed_answer\` text not null, \`pepper_version\` integer not null, \`created_at\` datetime not null, constraint \`idempotency_record_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create index \`idempotency_record_account_id_index\` on \`idempotency_record\` (\`account_id\`);`);
    this.addSql(`create index \`idempotency_record_created_at_index\` on \`idempotency_record\` (\`created_at\`);`);
    this.addSql(`create unique index \`idempotency_record_account_id_key_digest_unique\` on \`idempotency_record\` (\`account_id\`, \`key_digest\`);`);

    this.addSql(`create table \`imported_form\` (\`id\` integer not null primary key autoincrement, \`beginning\` text not null);`);
    this.addSql(`create unique index \`imported_form_beginning_unique\` on \`imported_form\` (\`beginning\`);`);

    this.addSql(`create table \`private_key\` (\`id\` integer not null primary key autoincrement, \`account_id\` integer not null, \`sealed_key\` text not null, \`encryption_version\` integer not null default 1, \`created_at\` datetime not null, \`updated_at\` datetime not null, constraint \`private_key_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create unique index \`private_key_account_id_unique\` on \`private_key\` (\`account_id\`);`);
    this.addSql(`create index \`private_key_encryption_version_index\` on \`private_key\` (\`encryption_version\`);`);

    this.addSql(`create table \`webhook_clock\` (\`id\` integer not null primary key autoincrement, \`expiries_told_until\` datetime not null);`);

    this.addSql(`create table \`webhook_endpoint\` (\`id\` integer not null primary key autoincrement, \`url\` text not null, \`events\` text not null, \`created_at\` datetime not null, \`paused_at\` datetime null, \`removed_at\` datetime null, \`sealed_secrets\` text null, \`encryption_version\` integer null, \`secret_created_at\` datetime null, \`previous_sign_until\` datetime null);`);
    this.addSql(`create unique index \`webhook_endpoint_url_unique\` on \`webhook_endpoint\` (\`url\`);`);

    this.addSql(`create table \`webhook_delivery\` (\`id\` integer not null primary key autoincrement, \`endpoint_id\` integer not null, \`account_id\` integer not null, \`lane\` text not null, \`message\` text not null, \`type\` text not null, \`payload\` text not null, \`state\` text not null, \`attempts\` integer not null, \`last_attempt_at\` datetime null, \`last_outcome\` text null, \`created_at\` datetime not null, \`kept_until\` datetime not null, constraint \`webhook_delivery_endpoint_id_foreign\` foreign key (\`endpoint_id\`) references \`webhook_endpoint\` (\`id\`), constraint \`webhook_delivery_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create index \`webhook_delivery_endpoint_id_index\` on \`webhook_delivery\` (\`endpoint_id\`);`);
    this.addSql(`create index \`webhook_delivery_account_id_index\` on \`webhook_delivery\` (\`account_id\`);`);
    this.addSql(`create index \`webhook_delivery_waiting\` on \`webhook_delivery\` (\`endpoint_id\`, \`lane\`, \`id\`) where \`state\` = 'waiting';`);
    this.addSql(`create index \`webhook_delivery_state_kept_until_index\` on \`webhook_delivery\` (\`state\`, \`kept_until\`);`);
    this.addSql(`create index \`webhook_delivery_endpoint_id_id_index\` on \`webhook_delivery\` (\`endpoint_id\`, \`id\`);`);
    this.addSql(`create index \`webhook_delivery_parked\` on \`webhook_delivery\` (\`endpoint_id\`, \`id\`) where \`state\` = 'parked';`);
    this.addSql(`create index \`webhook_delivery_last_attempt\` on \`webhook_delivery\` (\`endpoint_id\`, \`last_attempt_at\`) where \`last_attempt_at\` is not null;`);

    this.addSql(`create table \`webhook_event\` (\`id\` integer not null primary key autoincrement, \`account_id\` integer not null, \`actor\` text null, \`action\` text not null, \`target\` integer null, \`reason\` text null, \`details\` text null, \`created_at\` datetime not null, constraint \`webhook_event_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create index \`webhook_event_account_id_index\` on \`webhook_event\` (\`account_id\`);`);

    this.addSql(`create table \`webhook_lane\` (\`id\` integer not null primary key autoincrement, \`endpoint_id\` integer not null, \`lane\` text not null, \`due_at\` datetime not null, constraint \`webhook_lane_endpoint_id_foreign\` foreign key (\`endpoint_id\`) references \`webhook_endpoint\` (\`id\`));`);
    this.addSql(`create index \`webhook_lane_endpoint_id_index\` on \`webhook_lane\` (\`endpoint_id\`);`);
    this.addSql(`create index \`webhook_lane_endpoint_id_due_at_index\` on \`webhook_lane\` (\`endpoint_id\`, \`due_at\`);`);
    this.addSql(`create unique index \`webhook_lane_endpoint_id_lane_unique\` on \`webhook_lane\` (\`endpoint_id\`, \`lane\`);`);

        // What no entity says.
    //
    // Audit events are never changed. An erased account's may lose what is personal in them.
    this.addSql(`create trigger \`audit_event_no_update\` before update on \`audit_event\` when not (
      new.\`id\` is old.\`id\` and new.\`account_id\` is old.\`account_id\` and new.\`actor\` is old.\`actor\` and new.\`other_id\` is old.\`other_id\`
      and new.\`action\` is old.\`action\` and new.\`target\` is old.\`target\` and new.\`request\` is old.\`request\` and new.\`created_at\` is old.\`created_at\`
      and (new.\`address\` is null or new.\`address\` is old.\`address\`)
      and (new.\`details\` is null or new.\`details\` is old.\`details\`)
      and (new.\`reason\` is null or new.\`reason\` is old.\`reason\`)
      and exists (select 1 from \`account\` where \`id\` in (old.\`account_id\`, old.\`other_id\`) and \`erased_at\` is not null)
    ) begin select raise(abort, 'audit events are never changed'); end;`);
    this.addSql(`create trigger \`audit_event_no_delete\` before delete on \`audit_event\` begin select raise(abort, 'audit events are never deleted'); end;`);
    // REPLACE deletes the row in its way without firing triggers of deletes, so it is refused before it inserts.
    this.addSql(`create trigger \`audit_event_no_replace\` before insert on \`audit_event\` when exists (select 1 from \`audit_event\` where \`id\` = new.\`id\`) begin select raise(abort, 'audit events are never replaced'); end;`);

    // While there is an endpoint for webhooks, the database itself notes each change for it, whoever makes it. An
    // operator's act is in two trails; the one of the account that it was done to is noted.
    this.addSql(`create trigger \`audit_event_to_webhooks\` after insert on \`audit_event\`
      when (new.\`other_id\` is null or new.\`actor\` is not null)
        and exists (select 1 from \`webhook_endpoint\` where \`removed_at\` is null)
      begin
        insert into \`webhook_event\` (\`account_id\`, \`actor\`, \`action\`, \`target\`, \`reason\`, \`details\`, \`created_at\`)
        values (new.\`account_id\`, new.\`actor\`, new.\`action\`, new.\`target\`, new.\`reason\`, new.\`details\`, new.\`created_at\`);
      end;`);
  }
}

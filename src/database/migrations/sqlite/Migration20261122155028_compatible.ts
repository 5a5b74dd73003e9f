import { Migration } from '@mikro-orm/migrations';

/** While there is an endpoint for webhooks, each change is noted for it by the database itself, whoever makes it. */
export class Migration20261122155028_compatible extends Migration {

  override name = 'Migration20261122155028_compatible';

  override up(): void | Promise<void> {
    this.addSql(`create table \`webhook_clock\` (\`id\` integer not null primary key autoincrement, \`expiries_told_until\` datetime not null);`);

    this.addSql(`create table \`webhook_endpoint\` (\`id\` integer not null primary key autoincrement, \`url\` text not null, \`events\` text not null, \`created_at\` datetime not null, \`paused_at\` datetime null, \`removed_at\` datetime null);`);
    this.addSql(`create unique index \`webhook_endpoint_url_unique\` on \`webhook_endpoint\` (\`url\`);`);

    this.addSql(`create table \`webhook_delivery\` (\`id\` integer not null primary key autoincrement, \`endpoint_id\` integer not null, \`account_id\` integer not null, \`lane\` text not null, \`message\` text not null, \`type\` text not null, \`payload\` text not null, \`state\` text not null, \`attempts\` integer not null, \`last_attempt_at\` datetime null, \`last_outcome\` text null, \`created_at\` datetime not null, \`kept_until\` datetime not null, constraint \`webhook_delivery_endpoint_id_foreign\` foreign key (\`endpoint_id\`) references \`webhook_endpoint\` (\`id\`), constraint \`webhook_delivery_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create index \`webhook_delivery_endpoint_id_index\` on \`webhook_delivery\` (\`endpoint_id\`);`);
    this.addSql(`create index \`webhook_delivery_account_id_index\` on \`webhook_delivery\` (\`account_id\`);`);
    this.addSql(`create index \`webhook_delivery_waiting\` on \`webhook_delivery\` (\`endpoint_id\`, \`lane\`, \`id\`) where \`state\` = 'waiting';`);
    this.addSql(`create index \`webhook_delivery_state_kept_until_index\` on \`webhook_delivery\` (\`state\`, \`kept_until\`);`);

    this.addSql(`create table \`webhook_event\` (\`id\` integer not null primary key autoincrement, \`account_id\` integer not null, \`actor\` text null, \`action\` text not null, \`target\` integer null, \`reason\` text null, \`details\` text null, \`created_at\` datetime not null, constraint \`webhook_event_account_id_foreign\` foreign key (\`account_id\`) references \`account\` (\`id\`));`);
    this.addSql(`create index \`webhook_event_account_id_index\` on \`webhook_event\` (\`account_id\`);`);

    this.addSql(`create table \`webhook_lane\` (\`id\` integer not null primary key autoincrement, \`endpoint_id\` integer not null, \`lane\` text not null, \`due_at\` datetime not null, constraint \`webhook_lane_endpoint_id_foreign\` foreign key (\`endpoint_id\`) references \`webhook_endpoint\` (\`id\`));`);
    this.addSql(`create index \`webhook_lane_endpoint_id_index\` on \`webhook_lane\` (\`endpoint_id\`);`);
    this.addSql(`create index \`webhook_lane_endpoint_id_due_at_index\` on \`webhook_lane\` (\`endpoint_id\`, \`due_at\`);`);
    this.addSql(`create unique index \`webhook_lane_endpoint_id_lane_unique\` on \`webhook_lane\` (\`endpoint_id\`, \`lane\`);`);

    this.addSql(`create index \`api_key_expiry\` on \`api_key\` (\`expires_at\`) where \`is_active\` = true and \`expires_at\` is not null;`);

    // What an operator did is in two trails: it is told of where it was done to somebody.
    this.addSql(`create trigger \`audit_event_to_webhooks\` after insert on \`audit_event\`
      when (new.\`other_id\` is null or new.\`actor\` is not null)
        and exists (select 1 from \`webhook_endpoint\` where \`removed_at\` is null)
      begin
        insert into \`webhook_event\` (\`account_id\`, \`actor\`, \`action\`, \`target\`, \`reason\`, \`details\`, \`created_at\`)
        values (new.\`account_id\`, new.\`actor\`, new.\`action\`, new.\`target\`, new.\`reason\`, new.\`details\`, new.\`created_at\`);
      end;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger \`audit_event_to_webhooks\`;`);

    this.addSql(`drop table if exists \`webhook_clock\`;`);
    this.addSql(`drop table if exists \`webhook_endpoint\`;`);
    this.addSql(`drop table if exists \`webhook_delivery\`;`);
    this.addSql(`drop table if exists \`webhook_event\`;`);
    this.addSql(`drop table if exists \`webhook_lane\`;`);

    this.addSql(`drop index \`api_key_expiry\`;`);
  }

}

import { Migration } from '@mikro-orm/migrations';

/** An erased account's audit events may lose what is personal in them. */
export class Migration20261122154245_compatible extends Migration {

  override name = 'Migration20261122154245_compatible';

  override up(): void | Promise<void> {
    this.addSql(`alter table \`account\` add column \`blocked_at\` datetime null;`);
    this.addSql(`alter table \`account\` add column \`block_reason\` text null;`);
    this.addSql(`alter table \`account\` add column \`erased_at\` datetime null;`);
    this.addSql(`create index \`account_subject\` on \`account\` (\`subject\`);`);
    this.addSql(`create index \`api_key_prefix\` on \`api_key\` (\`key_prefix\`);`);

    this.addSql(`alter table \`audit_event\` add column \`actor\` text null;`);
    this.addSql(`alter table \`audit_event\` add column \`other_id\` integer null constraint \`audit_event_other_id_foreign\` references \`account\` (\`id\`) on update no action on delete no action;`);
    this.addSql(`alter table \`audit_event\` add column \`reason\` text null;`);
    this.addSql(`create index \`audit_event_other\` on \`audit_event\` (\`other_id\`) where \`other_id\` is not null;`);

    this.addSql(`drop trigger \`audit_event_no_update\`;`);
    this.addSql(`create trigger \`audit_event_no_update\` before update on \`audit_event\` when not (
      new.\`id\` is old.\`id\` and new.\`account_id\` is old.\`account_id\` and new.\`actor\` is old.\`actor\` and new.\`other_id\` is old.\`other_id\`
      and new.\`action\` is old.\`action\` and new.\`target\` is old.\`target\` and new.\`request\` is old.\`request\` and new.\`created_at\` is old.\`created_at\`
      and (new.\`address\` is null or new.\`address\` is old.\`address\`)
      and (new.\`details\` is null or new.\`details\` is old.\`details\`)
      and (new.\`reason\` is null or new.\`reason\` is old.\`reason\`)
      and exists (select 1 from \`account\` where \`id\` in (old.\`account_id\`, old.\`other_id\`) and \`erased_at\` is not null)
    ) begin select raise(abort, 'audit events are never changed'); end;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger \`audit_event_no_update\`;`);
    this.addSql(`create trigger \`audit_event_no_update\` before update on \`audit_event\` begin select raise(abort, 'audit events are never changed'); end;`);

    this.addSql(`drop index \`api_key_prefix\`;`);
    this.addSql(`drop index \`account_subject\`;`);
    this.addSql(`alter table \`account\` drop column \`blocked_at\`;`);
    this.addSql(`alter table \`account\` drop column \`block_reason\`;`);
    this.addSql(`alter table \`account\` drop column \`erased_at\`;`);

    this.addSql(`drop index \`audit_event_other\`;`);
    this.addSql(`alter table \`audit_event\` drop column \`actor\`;`);
    this.addSql(`alter table \`audit_event\` drop column \`other_id\`;`);
    this.addSql(`alter table \`audit_event\` drop column \`reason\`;`);
  }

}

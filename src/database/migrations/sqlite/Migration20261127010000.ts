import { Migration } from '@mikro-orm/migrations';

/** Which server of the provider made a change with a secret of its own. */
export class Migration20261127010000 extends Migration {
  override name = 'Migration20261127010000';

  override up(): void {
    this.addSql(`alter table \`audit_event\` add column \`server\` text null;`);
    this.addSql(`drop trigger \`audit_event_no_update\`;`);
    // Audit events are never changed. An erased account's may lose what is personal in them.
    this.addSql(`create trigger \`audit_event_no_update\` before update on \`audit_event\` when not (
      new.\`id\` is old.\`id\` and new.\`account_id\` is old.\`account_id\` and new.\`actor\` is old.\`actor\` and new.\`other_id\` is old.\`other_id\`
      and new.\`action\` is old.\`action\` and new.\`target\` is old.\`target\` and new.\`request\` is old.\`request\` and new.\`created_at\` is old.\`created_at\`
      and new.\`of_day\` is old.\`of_day\` and new.\`server\` is old.\`server\`
      and (new.\`address\` is null or new.\`address\` is old.\`address\`)
      and (new.\`details\` is null or new.\`details\` is old.\`details\`)
      and (new.\`reason\` is null or new.\`reason\` is old.\`reason\`)
      and exists (select 1 from \`account\` where \`id\` in (old.\`account_id\`, old.\`other_id\`) and \`erased_at\` is not null)
    ) begin select raise(abort, 'audit events are never changed'); end;`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/**
 * An account may be an organisation's. An older node would take it for a person's, so none may run beside this.
 */
export class Migration20261128090000 extends Migration {
  override name = 'Migration20261128090000';

  override up(): void {
    this.addSql(`drop index \`account_issuer_subject_unique\`;`);
    this.addSql(`alter table \`account\` add column \`kind\` text not null default 'person';`);
    this.addSql(`create unique index \`account_issuer_subject_kind_unique\` on \`account\` (\`issuer\`, \`subject\`, \`kind\`);`);

    this.addSql(`alter table \`api_key\` add column \`created_by\` integer null;`);
    this.addSql(`create index \`api_key_created_by\` on \`api_key\` (\`created_by\`) where \`created_by\` is not null;`);

    this.addSql(`alter table \`webhook_event\` add column \`member\` integer null;`);
    this.addSql(`drop trigger \`audit_event_to_webhooks\`;`);
    this.addSql(`create trigger \`audit_event_to_webhooks\` after insert on \`audit_event\`
      when (new.\`other_id\` is null or new.\`actor\` is not null)
        and exists (select 1 from \`webhook_endpoint\` where \`removed_at\` is null)
      begin
        insert into \`webhook_event\` (\`account_id\`, \`actor\`, \`member\`, \`action\`, \`target\`, \`reason\`, \`details\`, \`created_at\`)
        values (new.\`account_id\`, new.\`actor\`, case when new.\`actor\` = 'member' then new.\`other_id\` end, new.\`action\`, new.\`target\`, new.\`reason\`, new.\`details\`, new.\`created_at\`);
      end;`);
  }
}

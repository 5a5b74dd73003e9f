import { Migration } from '@mikro-orm/migrations';

export class Migration20261122190209_compatible extends Migration {

  override name = 'Migration20261122190209_compatible';

  override up(): void | Promise<void> {
    this.addSql(`alter table \`api_key_quota\` add column \`exhausted_generation\` integer null;`);

    this.addSql(`alter table \`webhook_endpoint\` add column \`sealed_secrets\` text null;`);
    this.addSql(`alter table \`webhook_endpoint\` add column \`encryption_version\` integer null;`);
    this.addSql(`alter table \`webhook_endpoint\` add column \`secret_created_at\` datetime null;`);
    this.addSql(`alter table \`webhook_endpoint\` add column \`previous_sign_until\` datetime null;`);

    this.addSql(`create index \`webhook_delivery_endpoint_id_id_index\` on \`webhook_delivery\` (\`endpoint_id\`, \`id\`);`);
    this.addSql(`create index \`webhook_delivery_parked\` on \`webhook_delivery\` (\`endpoint_id\`, \`id\`) where \`state\` = 'parked';`);
    this.addSql(`create index \`webhook_delivery_last_attempt\` on \`webhook_delivery\` (\`endpoint_id\`, \`last_attempt_at\`) where \`last_attempt_at\` is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`api_key_quota\` drop column \`exhausted_generation\`;`);

    this.addSql(`drop index \`webhook_delivery_endpoint_id_id_index\`;`);
    this.addSql(`drop index \`webhook_delivery_parked\`;`);
    this.addSql(`drop index \`webhook_delivery_last_attempt\`;`);

    this.addSql(`alter table \`webhook_endpoint\` drop column \`sealed_secrets\`;`);
    this.addSql(`alter table \`webhook_endpoint\` drop column \`encryption_version\`;`);
    this.addSql(`alter table \`webhook_endpoint\` drop column \`secret_created_at\`;`);
    this.addSql(`alter table \`webhook_endpoint\` drop column \`previous_sign_until\`;`);
  }

}

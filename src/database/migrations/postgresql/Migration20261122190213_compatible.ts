import { Migration } from '@mikro-orm/migrations';

export class Migration20261122190213_compatible extends Migration {

  override name = 'Migration20261122190213_compatible';

  override up(): void | Promise<void> {
    this.addSql(`alter table "api_key_quota" add "exhausted_generation" int null;`);

    this.addSql(`alter table "webhook_endpoint" add "sealed_secrets" text null, add "encryption_version" int null, add "secret_created_at" timestamptz(3) null, add "previous_sign_until" timestamptz(3) null;`);

    this.addSql(`drop index "webhook_delivery_endpoint_id_index";`);
    this.addSql(`create index "webhook_delivery_endpoint_id_id_index" on "webhook_delivery" ("endpoint_id", "id");`);
    this.addSql(`create index "webhook_delivery_parked" on "webhook_delivery" ("endpoint_id", "id") where "state" = 'parked';`);
    this.addSql(`create index "webhook_delivery_last_attempt" on "webhook_delivery" ("endpoint_id", "last_attempt_at") where "last_attempt_at" is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "api_key_quota" drop column "exhausted_generation";`);

    this.addSql(`drop index "webhook_delivery_endpoint_id_id_index";`);
    this.addSql(`drop index "webhook_delivery_parked";`);
    this.addSql(`drop index "webhook_delivery_last_attempt";`);
    this.addSql(`create index "webhook_delivery_endpoint_id_index" on "webhook_delivery" ("endpoint_id");`);

    this.addSql(`alter table "webhook_endpoint" drop column "sealed_secrets", drop column "encryption_version", drop column "secret_created_at", drop column "previous_sign_until";`);
  }

}

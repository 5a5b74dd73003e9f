import { Migration } from '@mikro-orm/migrations';

export class Migration20261123171000 extends Migration {
  override name = 'Migration20261123171000';

  override up(): void {
    // Each delivery has its own place in line now, and no lane has a row.
    this.addSql(`drop table "webhook_lane";`);
    this.addSql(`alter table "webhook_delivery" add "due_at" timestamptz(3) null;`);
    // The first waiting delivery of each lane is due.
    this.addSql(`update "webhook_delivery" set "due_at" = "created_at"
      where "state" = 'waiting' and not exists (
        select 1 from "webhook_delivery" as "earlier"
        where "earlier"."endpoint_id" = "webhook_delivery"."endpoint_id"
          and "earlier"."lane" = "webhook_delivery"."lane"
          and "earlier"."state" = 'waiting' and "earlier"."id" < "webhook_delivery"."id");`);
    this.addSql(`create index "webhook_delivery_line" on "webhook_delivery" ("endpoint_id", "due_at", "account_id") where "state" = 'waiting' and "attempts" = 0 and "due_at" is not null;`);
    this.addSql(`create index "webhook_delivery_again" on "webhook_delivery" ("endpoint_id", "due_at") where "state" = 'waiting' and "attempts" > 0;`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/** How many changes an account made on the day of each of its audit events. */
export class Migration20261125110000 extends Migration {
  override name = 'Migration20261125110000';

  override up(): void {
    this.addSql(`alter table "audit_event" add "of_day" bigint not null default '0';`);
    // How many changes an account has made on a day: the value of "of_day" for its next event, or null if it may make no
    // more. The lock comes first: a query before it would miss the event that another transaction is about to commit.
    this.addSql(`create function "number_of_change"("account" integer, "counted" integer, "most" bigint) returns bigint language plpgsql as $$
      declare
        "today" constant bigint := floor(extract(epoch from now()) / 86400) * 1000000000;
        "number" bigint;
      begin
        perform pg_advisory_xact_lock(1801812343, "account");
        select "of_day" into "number" from "audit_event" where "account_id" = "account" order by "id" desc limit 1;
        if "number" is null or "number" - "today" not between 0 and 999999999 then "number" := "today"; end if;
        "number" := "number" + "counted";
        return case when "number" - "today" <= "most" then "number" end;
      end $$;`);
  }
}

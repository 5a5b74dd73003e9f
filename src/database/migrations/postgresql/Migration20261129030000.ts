import { Migration } from '@mikro-orm/migrations';

/**
 * Indexes for the search of accounts: one for the beginning of a subject, and one for any three characters in it. The
 * second needs the extension `pg_trgm`: without it, or without the right to create it, a search looks at each account.
 */
export class Migration20261129030000 extends Migration {
  override name = 'Migration20261129030000';

  override up(): void {
    this.addSql(`create index "account_subject" on "account" (lower("subject") collate "C");`);
    this.addSql(`do $$ declare home text; begin
      begin
        create extension if not exists pg_trgm;
      exception when others then
        raise notice 'pg_trgm: %', sqlerrm;
      end;
      select quote_ident(nspname) into home from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
        where extname = 'pg_trgm' and has_schema_privilege(extnamespace, 'usage');
      if home is not null then
        execute format('create index "account_subject_trigrams" on "account" using gin (lower("subject") %s.gin_trgm_ops)', home);
      end if;
    end $$;`);
    // PostgreSQL has no statistics of an expression until then, and would search as if few accounts had any text.
    this.addSql(`analyze "account";`);
  }
}

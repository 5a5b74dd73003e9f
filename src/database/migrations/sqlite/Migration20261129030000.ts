import { Migration } from '@mikro-orm/migrations';

/**
 * Indexes for the search of accounts: one for the beginning of a subject, and one for any three characters in it.
 * `account_search` has only the index, and triggers keep it up to date, whoever writes to `account`. With
 * `secure-delete`, nothing of an erased account's subject stays in the index.
 */
export class Migration20261129030000 extends Migration {
  override name = 'Migration20261129030000';

  override up(): void {
    this.addSql(`create index \`account_subject\` on \`account\` (lower(\`subject\`));`);
    this.addSql(`create virtual table \`account_search\` using fts5(\`subject\`, content = 'account', content_rowid = 'id', tokenize = 'trigram', detail = 'none', columnsize = 0);`);
    this.addSql(`insert into \`account_search\` (\`account_search\`, \`rank\`) values ('secure-delete', 1);`);
    this.addSql(`insert into \`account_search\` (\`account_search\`) values ('rebuild');`);
    this.addSql(`create trigger \`account_search_insert\` after insert on \`account\`
      begin
        insert into \`account_search\` (\`rowid\`, \`subject\`) values (new.\`id\`, new.\`subject\`);
      end;`);
    this.addSql(`create trigger \`account_search_delete\` after delete on \`account\`
      begin
        insert into \`account_search\` (\`account_search\`, \`rowid\`, \`subject\`) values ('delete', old.\`id\`, old.\`subject\`);
      end;`);
    this.addSql(`create trigger \`account_search_update\` after update of \`id\`, \`subject\` on \`account\`
      begin
        insert into \`account_search\` (\`account_search\`, \`rowid\`, \`subject\`) values ('delete', old.\`id\`, old.\`subject\`);
        insert into \`account_search\` (\`rowid\`, \`subject\`) values (new.\`id\`, new.\`subject\`);
      end;`);
  }
}

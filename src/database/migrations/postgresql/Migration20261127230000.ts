import { Migration } from '@mikro-orm/migrations';

/** The subject and the issuer of a server's access token are longer than a name. The rows stay as they are. */
export class Migration20261127230000 extends Migration {
  override name = 'Migration20261127230000';

  override up(): void {
    this.addSql(`alter table "audit_event" alter column "server" type text using ("server"::text);`);
  }
}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261121132403 extends Migration {

  override name = 'Migration20261121132403';

  override up(): void | Promise<void> {
    this.addSql(`create index \`api_key_sealed_version\` on \`api_key\` (\`encryption_version\`) where \`encrypted_key\` is not null;`);

    this.addSql(`create index \`api_key_secret_pepper_version_index\` on \`api_key_secret\` (\`pepper_version\`);`);

    this.addSql(`create index \`private_key_encryption_version_index\` on \`private_key\` (\`encryption_version\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`api_key_sealed_version\`;`);

    this.addSql(`drop index \`api_key_secret_pepper_version_index\`;`);

    this.addSql(`drop index \`private_key_encryption_version_index\`;`);
  }

}

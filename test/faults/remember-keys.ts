// Asks for each API key of an SQLite file twice, and prints by how many bytes the process has grown, as JSON. A count of
// the keys that are remembered in the end goes with it. Run with --expose-gc.
import { findByDigests } from '../../src/api-keys/verify/verify-secret.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { Db } from '../../src/database/db.ts';

const [url = '', count = ''] = process.argv.slice(2);
await using database = await openDatabase(loadConfig({ DATABASE_URL: url }).database);
const db = new Db(database.em);
const digestOf = (key: number) => {
  const digest = Buffer.alloc(32);
  digest.writeUInt32BE(key);
  return [{ version: 1, digest }];
};
const size = () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
await findByDigests(db, digestOf(1));
const before = size();
for (let key = 1; key <= Number(count); key += 1) {
  await findByDigests(db, digestOf(key));
  await findByDigests(db, digestOf(key));
}
const grown = size() - before;
let remembered = 0;
for (let key = Number(count); key > 0; key -= 1) {
  if (findByDigests(db, digestOf(key)) instanceof Promise) break;
  remembered += 1;
}
process.stdout.write(JSON.stringify({ grown, remembered }));

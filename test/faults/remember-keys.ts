// Asks for each API key of an SQLite file twice, and prints by how many bytes the process has grown, as JSON. A count of
// the keys that are remembered in the end goes with it. A third argument says for how many seconds keys are accepted
// while the database is away. Run with --expose-gc.
import { OutageGrace } from '../../src/api-keys/verify/door-grace.ts';
import { findByDigests, rememberedKeysOf } from '../../src/api-keys/verify/verify-secret.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { Db } from '../../src/database/db.ts';

const [url = '', count = '', seconds] = process.argv.slice(2);
await using database = await openDatabase(loadConfig({ DATABASE_URL: url }).database);
const db = new Db(database.em);
const keys = rememberedKeysOf(db);
const grace =
  seconds === undefined
    ? undefined
    : new OutageGrace(Number(seconds) * 1000, keys, { began: () => {}, ended: () => {} });
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
await findByDigests(db, digestOf(1), grace);
const before = size();
for (let key = 1; key <= Number(count); key += 1) {
  await findByDigests(db, digestOf(key), grace);
  await findByDigests(db, digestOf(key), grace);
}
const grown = size() - before;
let remembered = 0;
for (let key = Number(count); key > 0; key -= 1) {
  if (findByDigests(db, digestOf(key), grace) instanceof Promise) break;
  remembered += 1;
}
grace?.[Symbol.dispose]();
process.stdout.write(JSON.stringify({ grown, remembered }));

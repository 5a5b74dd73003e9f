import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Destination } from '../../src/api-keys/import/import-keys.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { Db } from '../../src/database/db.ts';
import type { OperationSettings } from '../../src/operations/context.ts';
import { exportKeys } from '../../src/transfer/export-keys.ts';
import { importLines } from '../../src/transfer/import-lines.ts';
import { readLines } from '../../src/transfer/read-lines.ts';
import type { TestGateway } from './gateway.ts';
import { noParts } from './key-suite.ts';

/** SHA-256 of a text, in hexadecimal digits. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** SHA-512 of a text, in hexadecimal digits. */
export const sha512 = (text: string): string => createHash('sha512').update(text).digest('hex');

/** A new key of a form that is not ours. */
export const foreignKey = (): string => `acme_live_${randomBytes(20).toString('hex')}`;

/** A new key as the public service makes them: of our form, without a checksum. */
export const publicKey = (): string =>
  `sk-${randomBytes(3).toString('hex')}.${randomBytes(32).toString('hex')}`;

const settings: OperationSettings = loadConfig({});

/** Brings lines to a gateway, and lets it know; each line is JSON, or a text as it is. */
export async function importTo(
  gateway: TestGateway,
  lines: readonly (object | string)[],
  options: {
    isDryRun?: boolean;
    issuers?: readonly string[];
    settings?: Partial<OperationSettings>;
    secrets?: Destination['secrets'];
  } = {},
) {
  const { isDryRun = false, issuers = [], secrets = gateway.secrets } = options;
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const refused: [number, string][] = [];
  const destination = {
    db: new Db(gateway.database.em),
    secrets,
    settings: { ...settings, ...options.settings },
  };
  const chunks = (async function* () {
    yield Buffer.from(texts.join('\n'));
  })();
  const totals = await importLines(destination, readLines(chunks), {
    issuers,
    isDryRun,
    onRefused: (number, why) => refused.push([number, why]),
  });
  await gateway.importedKeys.read();
  return { ...totals, refused };
}

/** All that a gateway writes of its keys, a line each. */
export async function exportFrom({ database }: TestGateway): Promise<Record<string, unknown>[]> {
  let text = '';
  for await (const lines of exportKeys(new Db(database.em))) text += lines;
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Expects that keys imported to a gateway, exported, and imported elsewhere read the same in both exports. */
export async function expectMoved(here: TestGateway, elsewhere: TestGateway, records: readonly object[]) {
  const lines = records.map((record) => {
    const key = foreignKey();
    return { issuer: 'https://id.example.com', key_prefix: key.slice(0, 10), ...record, key };
  });
  const made = lines.length;
  expect(await importTo(here, lines)).toEqual({ made, known: 0, refused: [] });
  const exported = await exportFrom(here);
  // As JSON has it: -0 is 0 there.
  const given = lines.map(({ key, ...others }) => ({
    ...{ ...noParts, name: null, plan: null, is_active: true, expires_at: null },
    ...JSON.parse(JSON.stringify(others)),
  }));
  expect(exported).toEqual(given);
  const withKeys = exported.map((line, at) => ({ ...line, sha256: sha256(lines[at]?.key ?? '') }));
  expect(await importTo(elsewhere, withKeys)).toEqual({ made, known: 0, refused: [] });
  expect(await exportFrom(elsewhere)).toEqual(exported);
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKeySecret, isApiKeySecret } from '../../../src/api-keys/api-key-secret.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createSigningKey, publishedKeys } from '../../support/scanner.ts';

describe('API_KEY_PREFIX', () => {
  it('not set → the default prefix of keys', () => {
    expect(createApiKeySecret().startsWith(loadConfig({}).apiKeyPrefix)).toBe(true);
  });

  it.each(['sk-', 'a_', 'a-', 'acme_', 'acme_live_', 'sk-acme-', 'k2_', `${'a'.repeat(19)}_`])(
    'may be %s, and keys with it are recognized',
    (prefix) => {
      expect(loadConfig({ API_KEY_PREFIX: prefix }).apiKeyPrefix).toBe(prefix);
      const secret = createApiKeySecret(prefix);
      expect(secret).toHaveLength(prefix.length + 71);
      expect(isApiKeySecret(secret)).toBe(true);
    },
  );

  it.each([
    '-',
    '_',
    'sk',
    'SK-',
    '1k-',
    '-k-',
    's k-',
    'sk.',
    'sk-\n',
    'ключ-',
    'sk-*',
    `${'a'.repeat(20)}_`,
  ])('may not be %j', (prefix) => {
    expect(() => loadConfig({ API_KEY_PREFIX: prefix })).toThrow(
      'API_KEY_PREFIX must be 2 to 20 characters of a-z, 0-9, _ and -, with a letter at its beginning and _ or - at its end',
    );
  });
});

describe('leak reports', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'keyward-leaks-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const fileOf = (content: unknown): string => {
    const file = join(folder, 'keys.json');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };

  it('are on only if LEAKED_KEYS is "mark", "pause" or "end"', () => {
    expect(loadConfig({}).leakReports).toBeUndefined();
    expect(loadConfig({ LEAKED_KEYS: 'off' }).leakReports).toBeUndefined();
    const keys = 'https://api.github.com/meta/public_keys/secret_scanning';
    for (const act of ['mark', 'pause', 'end'])
      expect(loadConfig({ LEAKED_KEYS: act }).leakReports).toEqual({ act, keys });
    expect(() => loadConfig({ LEAKED_KEYS: 'on' })).toThrow(
      'LEAKED_KEYS must be "off", "mark", "pause" or "end"',
    );
  });

  it('are verified with the P-256 keys of a file', () => {
    const first = createSigningKey('first');
    const file = fileOf(publishedKeys([first, createSigningKey('second', 'P-384')]));
    const { keys } = loadConfig({ LEAKED_KEYS: 'end', LEAK_REPORT_KEYS_FILE: file }).leakReports ?? {};
    expect(keys).toEqual(new Map([['first', expect.anything()]]));
  });

  const wanted = 'LEAK_REPORT_KEYS_FILE must be {"public_keys": [{"key_identifier": …, "key": …}]}';
  it.each<[string, unknown, string]>([
    ['nothing', '', 'LEAK_REPORT_KEYS_FILE must name a file with JSON'],
    ['something else', [], wanted],
    ['no keys', publishedKeys([]), wanted],
    ['keys of another curve', publishedKeys([createSigningKey('first', 'P-384')]), wanted],
  ])('%s in the file of keys → refused with a message', (_what, content, message) => {
    const env = { LEAKED_KEYS: 'end', LEAK_REPORT_KEYS_FILE: fileOf(content) };
    expect(() => loadConfig(env)).toThrow(message);
  });

  it.each<[Record<string, string>, string]>([
    [
      { LEAKED_KEYS: 'end', LEAK_REPORT_KEYS_FILE: '/nowhere' },
      'LEAK_REPORT_KEYS_FILE names a file that cannot be read (ENOENT)',
    ],
    [
      { LEAKED_KEYS: 'end', LEAK_REPORT_KEYS_URL: 'http://keys.example.com' },
      'LEAK_REPORT_KEYS_URL must begin with https://',
    ],
    [
      { LEAK_REPORT_KEYS_URL: 'https://keys.example.com' },
      'LEAKED_KEYS must be "mark", "pause" or "end" with LEAK_REPORT_KEYS_URL',
    ],
  ])('%j → %s', (env, message) => {
    expect(() => loadConfig(env)).toThrow(message);
  });

  it('keys from both a URL and a file → refused', () => {
    const LEAK_REPORT_KEYS_FILE = fileOf(publishedKeys([createSigningKey('first')]));
    const LEAK_REPORT_KEYS_URL = 'https://keys.example.com';
    expect(() => loadConfig({ LEAKED_KEYS: 'end', LEAK_REPORT_KEYS_FILE, LEAK_REPORT_KEYS_URL })).toThrow(
      'LEAK_REPORT_KEYS_URL and LEAK_REPORT_KEYS_FILE must not both be set',
    );
  });
});

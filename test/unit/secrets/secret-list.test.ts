import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOfFile } from '../../../src/config/values/kinds.ts';
import { encryptionKeySize, pepperSize, secretList } from '../../../src/secrets/secret-list.ts';

const [one, two] = [randomBytes(32), randomBytes(32)];
const [first, second] = [one.toString('base64'), two.toString('base64')];

const parse = (text: string, size = encryptionKeySize) => secretList(size).safeParse(text);

const contents = (text: string, size = encryptionKeySize) =>
  parse(text, size).data?.map(({ version, key }) => [version, key.export().toString('base64')]);

const faultsOf = (text: string, size = encryptionKeySize) =>
  parse(text, size).error?.issues.map((issue) => issue.message);

const make = 'must be exactly 32 bytes in base64: make it with `openssl rand -base64 32`';
const shape = 'must be VERSION:SECRET, as `echo "1:$(openssl rand -base64 32)"` prints it';

describe('a list of secrets', () => {
  it.each([
    ['commas', ','],
    ['spaces', ' '],
    ['lines', '\n'],
    ['lines of Windows', '\r\n'],
    ['all of them', ' ,\r\n\t'],
  ])('is separated by %s, and keeps its order', (_what, between) => {
    expect(contents(`12:${first}${between}3:${second}${between}`)).toEqual([
      [12, first],
      [3, second],
    ]);
  });

  it.each<[string, string]>([
    ['base64', first],
    ['base64 without padding', first.replaceAll('=', '')],
    ['base64url', one.toString('base64url')],
    ['base64url with padding', `${one.toString('base64url')}=`],
  ])('accepts %s', (_what, text) => {
    expect(contents(`1:${text}`)).toEqual([[1, first]]);
  });

  it('longer peppers → accepted, longer encryption keys → refused', () => {
    const long = randomBytes(48).toString('base64');
    expect(contents(`1:${long}`, pepperSize)).toEqual([[1, long]]);
    expect(faultsOf(`1:${long}`)).toEqual([`version 1 has 48 bytes; it ${make}`]);
  });

  it('shows no secret when it is printed or written as JSON', () => {
    const { data } = parse(`1:${first}`);
    expect(JSON.stringify(data)).toBe('[{"version":1,"key":{}}]');
  });
});

describe('a fault of a list', () => {
  const short = randomBytes(31).toString('base64');
  it.each<[string, string, string[]]>([
    ['nothing in it', ' , ', ['must have at least one VERSION:SECRET']],
    ['a bare secret', first, [`entry 1 ${shape}`]],
    ['no secret', '1:', [`entry 1 ${shape}`]],
    ['version 0', `0:${first}`, [`entry 1 ${shape}`]],
    ['a leading zero', `01:${first}`, [`entry 1 ${shape}`]],
    ['a negative version', `1:${first} -2:${second}`, [`entry 2 ${shape}`]],
    ['a version in letters', `v1:${first}`, [`entry 1 ${shape}`]],
    ['a version over 9 digits', `1000000000:${first}`, [`entry 1 ${shape}`]],
    ['31 bytes', `4:${short}`, [`version 4 has 31 bytes; it ${make}`]],
    ['other characters', `4:${first.replace(/^./, '%')}`, [`version 4 is not base64; it ${make}`]],
    ['a character too many', `4:${first.replace('=', 'AA')}`, [`version 4 is not base64; it ${make}`]],
    ['padding too long', `4:${first}=`, [`version 4 is not base64; it ${make}`]],
    ['a version twice', `1:${first},1:${second}`, ['names version 1 twice']],
    [
      'a secret twice',
      `2:${first},7:${one.toString('base64url')}`,
      ['versions 2 and 7 must not have the same secret'],
    ],
    [
      'several',
      `x,2:${short},3:${first},3:${second}`,
      [`entry 1 ${shape}`, `version 2 has 31 bytes; it ${make}`, 'names version 3 twice'],
    ],
  ])('is named: %s', (_what, text, faults) => {
    expect(faultsOf(text)).toEqual(faults);
  });

  it('a bad pepper → a message with the rules', () => {
    expect(faultsOf(`4:${short}`, pepperSize)).toEqual([
      'version 4 has 31 bytes; it must be 32 bytes or more in base64: make it with `openssl rand -base64 32`',
    ]);
  });
});

describe('a file', () => {
  const fromFile = textOfFile.pipe(secretList(encryptionKeySize));
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'keyward-secrets-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const write = (text: string) => {
    const path = join(folder, 'secrets');
    writeFileSync(path, text);
    return fromFile.safeParse(path);
  };

  it.each([
    ['a line at its end', `2:${first}\n`],
    ['lines of Windows', `2:${first}\r\n1:${second}\r\n`],
    ['a byte order mark', `\uFEFF2:${first}`],
  ])('may have %s', (_what, text) => {
    const [newest] = write(text).data ?? [];
    expect(newest?.version).toBe(2);
    expect(newest?.key.export()).toEqual(one);
  });

  it('has the same faults as a variable', () => {
    expect(write('\n').error?.issues).toMatchObject([{ message: 'must have at least one VERSION:SECRET' }]);
  });

  it.each([
    ['is not there', 'nowhere', 'ENOENT'],
    ['is a folder', '.', 'EISDIR'],
  ])('is refused if it %s', (_what, name, code) => {
    const { error } = fromFile.safeParse(join(folder, name));
    expect(error?.issues).toMatchObject([{ message: `names a file that cannot be read (${code})` }]);
  });
});

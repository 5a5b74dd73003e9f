import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { toCurl } from '../../../web/reference/samples/curl.ts';
import { toGo } from '../../../web/reference/samples/go.ts';
import { toPython } from '../../../web/reference/samples/python.ts';
import type { SampleRequest } from '../../../web/reference/samples/sample-request.ts';
import { toTypeScript } from '../../../web/reference/samples/typescript.ts';
import { variable } from '../../../web/reference/samples/variables.ts';

const nasty = [
  `it's "quoted"`,
  '$HOME $' + '{HOME} $(id) `id`',
  'back\\slash \\n',
  'two\nlines\ttab',
  '!! ! %s {x} {{y}}',
  'é 😀 \u2028',
  '',
];

const request = (text: string): SampleRequest => ({
  method: 'POST',
  url: 'https://keyward.example.com/api/v1/auth/keys',
  headers: [['Authorization', `Bearer ${variable('ACCESS_TOKEN')}`]],
  body: { text, secret: `${text}${variable('API_KEY')}`, list: [text, true, null, 1.5], [text]: {} },
  returnsJson: true,
});

const env = { PATH: process.env['PATH'] ?? '', ACCESS_TOKEN: 'token', API_KEY: 'sk-1' };

const bodyOf = (text: string) => ({
  text,
  secret: `${text}sk-1`,
  list: [text, true, null, 1.5],
  [text]: {},
});

const run = (command: string, args: readonly string[]): unknown => {
  const { stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
};

// In place of curl: prints its arguments as JSON.
const fakeCurl = `curl() { "${process.execPath}" -e 'console.log(JSON.stringify(process.argv.slice(1)))' -- "$@"; }`;

describe.each(nasty)('a text with nasty characters, %j', (text) => {
  it('is the same after a shell has read it', () => {
    const args = run('sh', ['-c', `${fakeCurl}\n${toCurl(request(text))}`]) as string[];
    expect(args.slice(0, 5)).toEqual([
      '-X',
      'POST',
      'https://keyward.example.com/api/v1/auth/keys',
      '-H',
      'Authorization: Bearer token',
    ]);
    expect(JSON.parse(args.at(-1) ?? '')).toEqual(bodyOf(text));
  });

  it('is the same after TypeScript has read it', () => {
    const fake = 'const fetch = (url, init) => ({ status: init.headers, json: () => init.body });';
    const code = toTypeScript(request(text)).replace('console.log(', 'print(');
    const print =
      'const print = (headers, body) => console.log(JSON.stringify([headers, JSON.parse(body)]));';
    const args = ['--input-type=module-typescript', '--no-warnings', '-e', `${fake}\n${print}\n${code}`];
    expect(run(process.execPath, args)).toEqual([{ Authorization: 'Bearer token' }, bodyOf(text)]);
  });

  it('is a text of JSON in Python and Go', () => {
    const quoted = JSON.stringify(text);
    expect(toPython(request(text))).toContain(`"text": ${quoted},`);
    const go = toGo(request(text));
    const raw = text.includes('`') ? JSON.stringify(quoted).slice(1, -1) : quoted;
    expect(go).toContain(raw);
  });
});

describe('a sample without a body', () => {
  const { body: _, ...bare } = request('');
  const get = { ...bare, method: 'GET', headers: [], returnsJson: false };

  it('says no more than it must', () => {
    expect(toCurl(get)).toBe("curl 'https://keyward.example.com/api/v1/auth/keys'");
    expect(toTypeScript(get)).toBe(
      'const response = await fetch("https://keyward.example.com/api/v1/auth/keys");\nconsole.log(response.status, response.headers);',
    );
    expect(toPython(get)).not.toMatch(/import (json|os)/);
    expect(toGo(get)).not.toMatch(/"(os|strings)"/);
  });
});

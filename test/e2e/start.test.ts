import { readFileSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createTemporaryFolder,
  root,
  runShell,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let service: ServiceProcess;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  service = await startProcess(folder.path);
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const call = async (subject: string, method: string, path: string, json?: unknown) => {
  const authorization = `Bearer ${await service.token(subject)}`;
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body: json === undefined ? null : JSON.stringify(json),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

/** What the database file holds, seen from outside the process. */
const query = (sql: string): unknown[] => {
  const database = new Sqlite(service.databaseFile, { readonly: true, fileMustExist: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
};

describe('ready', () => {
  it('prints all addresses in one JSON line, and warns about the development identity provider', () => {
    const { stdout, stderr } = service.output;
    expect(JSON.parse(/^.*"msg":"ready".*$/m.exec(stdout)?.[0] ?? '')).toMatchObject({
      url: service.url,
      version: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
      database: 'SQLite',
      workers: 1,
      warning: expect.stringContaining('lets anyone in'),
    });
    expect(stderr).toBe('');
  });

  it.each([
    ['/graphql', 'text/html', 'text/html; charset=utf-8'],
    ['/console', 'text/html', 'text/html; charset=utf-8'],
    ['/api/v1/openapi.json', '*/*', 'application/json'],
  ])('answers %s, which it has named', async (path, accept, type) => {
    const response = await fetch(service.url + path, { headers: { accept } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain(type);
    await response.body?.cancel();
  });
});

describe('npm run token', () => {
  const run = (options: string) =>
    runShell(`PORT=${service.port} npm run --silent token -- --subject alice ${options}`);

  it('prints an access token with all four scopes', async () => {
    const { code, stdout } = await run('');
    expect(code).toBe(0);
    expect(decodeProtectedHeader(stdout.trim())).toMatchObject({ typ: 'at+jwt', alg: 'RS256' });
    const { sub, iss, aud, scope } = decodeJwt(stdout.trim());
    expect({ sub, iss, aud }).toEqual({ sub: 'alice', iss: `${service.url}/idp`, aud: 'keyward' });
    expect(String(scope).split(' ').sort()).toEqual(['email', 'idp.signin.user.admin', 'openid', 'profile']);
  });

  it('has only the requested scopes', async () => {
    const { stdout } = await run('--scope "openid email"');
    expect(decodeJwt(stdout.trim())['scope']).toBe('openid email');
  });
});

describe('seed', () => {
  it.each([
    { subject: 'alice', id: 1, record: { name: 'Laptop', is_default: true } },
    { subject: 'alice', id: 2, record: { name: 'Build server', is_default: false } },
    { subject: 'alice', id: 3, record: { name: null, is_default: false } },
    { subject: 'bob', id: 4, record: { name: 'Notebook', is_default: true } },
  ])('gave $subject the API key $id', async ({ subject, id, record }) => {
    const prefix = expect.stringMatching(/^sk-[a-z0-9]{6}$/);
    const { status, body } = await call(subject, 'DELETE', `/auth/keys/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, key_prefix: prefix, is_active: false, ...record });
  });

  it.each([
    ['alice', 4],
    ['alice', 5],
    ['bob', 3],
  ])('did not give %s the API key %i', async (subject, id) => {
    expect((await call(subject, 'DELETE', `/auth/keys/${id}`)).status).toBe(404);
  });

  it('gives alice a private key, and bob none', async () => {
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const status = { has_key: true, created_at: timestamp, updated_at: timestamp };
    expect((await call('alice', 'GET', '/auth/private-key')).body).toEqual(status);
    const none = { has_key: false, created_at: null, updated_at: null };
    expect((await call('bob', 'GET', '/auth/private-key')).body).toEqual(none);
  });
});

describe('database file', () => {
  it.runIf(process.platform !== 'win32')('and its folder are accessible only to their owner', async () => {
    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    expect(await modeOf(service.dataDir)).toBe('700');
    expect(await modeOf(service.databaseFile)).toBe('600');
    expect(await modeOf(`${service.databaseFile}-wal`)).toBe('600');
  });

  it('uses a write-ahead log', async () => {
    // Bytes 18 and 19 of the file's header are its write and read version: 2 is a write-ahead log.
    await using file = await open(service.databaseFile);
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 18);
    expect([...buffer]).toEqual([2, 2]);
  });
});

describe('second start', () => {
  const keys = () => query('select id, account_id, key_prefix, is_active from api_key order by id');

  it('keeps the data and does not seed again', async () => {
    await call('alice', 'DELETE', '/auth/keys/2');
    const { body: settings } = await call('carol', 'PUT', '/automation/settings', { session_duration: 600 });
    const before = keys();
    service.signal('SIGTERM');
    await service.ended;

    service = await startProcess(folder.path, { PORT: `${service.port}` });
    expect(keys()).toEqual(before);
    expect(before).toHaveLength(4);
    expect(query('select subject from account order by id')).toEqual([
      { subject: 'alice' },
      { subject: 'bob' },
      { subject: 'acme' },
      { subject: 'carol' },
    ]);
    expect((await call('carol', 'PUT', '/automation/settings', {})).body).toEqual(settings);
  });
});

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentServerSecret } from '../../src/secrets/server-secret.ts';
import { copyInto, installNodePackage, type Packed } from '../support/node-package.ts';
import { createTemporaryFolder, freePort, root, runCommand, startProcess } from '../support/process.ts';
import { startProxy } from '../support/proxy-process.ts';
import { debianPython, hasPythonFrameworks, installPythonPackage } from '../support/python-package.ts';
import { createSecret } from '../support/webhook-receiver.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const hasPython = hasPythonFrameworks('the README of the package for Python is not run');

const readmeOf = (name: string) => readFileSync(join(root, 'packages', name, 'README.md'), 'utf8');

/** The blocks of code of a README in a language, from top to bottom. */
const blocksOf = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);

const apps = ['keyward', 'express', 'express-4', 'fastify', 'fetch', 'hono', 'http'].map(
  (name) => `${name}.ts`,
);

const secret = createSecret();
let service: Awaited<ReturnType<typeof startProcess>>;
let key: string;
let folder: string;
let packed: Packed;

beforeAll(async () => {
  const data = stack.use(await createTemporaryFolder());
  service = stack.use(await startProcess(data.path));
  const headers = {
    authorization: `Bearer ${await service.token('alice')}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ permissions: ['documents.*'] });
  const made = await fetch(`${service.url}/api/v1/auth/keys`, { method: 'POST', headers, body });
  ({ key } = (await made.json()) as { key: string });
  folder = stack.use(await createTemporaryFolder()).path;
  packed = await installNodePackage(folder, ['express']);
  if (hasPython) await installPythonPackage(folder);
});

const environment = (port: number) => ({
  PATH: process.env['PATH'],
  PORT: `${port}`,
  KEYWARD_URL: service.url,
  KEYWARD_CREDENTIAL: developmentServerSecret,
  WEBHOOK_SECRET: secret,
});

/** Writes a block into a file, and starts it. */
async function start(name: string, code: string, command: (file: string, port: number) => readonly string[]) {
  const file = join(folder, name);
  await writeFile(file, code);
  const port = await freePort();
  const [program = '', ...args] = command(file, port);
  const url = `http://127.0.0.1:${port}`;
  const { output } = stack.use(await startProxy(program, args, folder, url, environment(port)));
  return { url, output };
}

const ask = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(url, { headers });
  return { status: answer.status, text: await answer.text() };
};

/** A message of Keyward's, signed now. */
const signed = (body: string) => {
  const [id, now] = ['msg_1', new Date()];
  const signature = new Webhook(secret).sign(id, now, body);
  const timestamp = `${Math.floor(now.getTime() / 1000)}`;
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
};

const event = '{"type":"api_key.created","timestamp":"2026-01-31T12:00:00.000Z","data":{"user_id":1}}';

it.each(['node', 'python'])('the README of packages/%s has less than 400 words', (name) => {
  expect(readmeOf(name).split(/\s+/).length).toBeLessThan(400);
});

describe('the README of the package for Node', () => {
  const [protect = '', assertions = '', webhooks = ''] = blocksOf(readmeOf('node'), 'js');
  const node = (file: string) => [process.execPath, file];

  it('protects an API', async () => {
    const { url } = await start('protect.js', protect, node);
    expect(await ask(`${url}/documents`, { 'x-api-key': key })).toEqual({
      status: 200,
      text: '{"user_id":1}',
    });
    expect(await ask(`${url}/documents`)).toMatchObject({ status: 401 });
  });

  it('checks assertions', async () => {
    const answer = await fetch(`${service.url}/api/v1/keys/authorize`, { headers: { 'x-api-key': key } });
    const assertion = answer.headers.get('x-keyward-assertion') ?? '';
    const { url } = await start('assertions.js', assertions, node);
    expect(await ask(url, { 'x-keyward-assertion': assertion })).toEqual({ status: 200, text: '1' });
    expect(await ask(url, { 'x-keyward-assertion': `${assertion}x` })).toMatchObject({ status: 401 });
  });

  it('verifies webhooks', async () => {
    const { url, output } = await start('webhooks.js', webhooks, node);
    const send = async (headers: Record<string, string>, body: string) =>
      (await fetch(url, { method: 'POST', headers, body })).status;
    expect(await send(signed(event), event)).toBe(204);
    expect(await send(signed(event), event.replace('1}', '2}'))).toBe(400);
    await expect.poll(output).toBe('api_key.created\n');
  });

  it('the archive holds what belongs there, in less than 10 kB beside the README', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js']));
    const others = paths.filter((path) => !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(path));
    expect(others.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(packed.size - gzipSync(readmeOf('node')).length).toBeLessThan(10_000);
  });
});

it('the types of the package for Node are right for each framework, and need no leniency', async () => {
  const own = stack.use(await createTemporaryFolder()).path;
  await installNodePackage(own, [
    ...['express', 'express-4', 'fastify', 'hono', '@hono/node-server', '@types/express', '@types/node'],
  ]);
  await copyInto(own, 'test/packages/apps', [...apps, 'modules.d.ts']);
  const compilerOptions = {
    ...{
      target: 'es2023',
      lib: ['es2023', 'dom'],
      module: 'nodenext',
      types: ['node'],
      noEmit: true,
      strict: true,
    },
    ...{ allowImportingTsExtensions: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
  };
  await writeFile(join(own, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
  const options = { cwd: own, env: {}, timeout: 50_000 };
  expect(await runCommand([process.execPath, compiler, '-p', own], options)).toMatchObject({
    code: 0,
    stdout: '',
  });
  // And they hold: without its brackets, a permission is no list.
  const text = readFileSync(join(own, 'keyward.ts'), 'utf8');
  await writeFile(join(own, 'keyward.ts'), text.replace("['documents.read']", "'documents.read'"));
  const { code, stdout } = await runCommand([process.execPath, compiler, '-p', own], options);
  expect([code, stdout]).toEqual([
    expect.any(Number),
    expect.stringContaining("Type 'string' is not assignable"),
  ]);
});

describe.runIf(hasPython)('the README of the package for Python', () => {
  const [fastapi = '', flask = '', wsgi = '', plain = '', webhooks = ''] = blocksOf(
    readmeOf('python'),
    'python',
  );
  const asks = async (url: string, path: string) => {
    expect(await ask(`${url}${path}`, { 'x-api-key': key })).toMatchObject({
      status: 200,
      text: expect.stringContaining('1'),
    });
    expect(await ask(`${url}${path}`)).toMatchObject({ status: 401 });
  };

  it('protects an API with FastAPI', async () => {
    const { url } = await start('with_fastapi.py', fastapi, (_file, port) => [
      debianPython,
      '-m',
      'uvicorn',
      'with_fastapi:app',
      '--port',
      `${port}`,
    ]);
    await asks(url, '/documents');
  });

  it('protects an API with Flask', async () => {
    const { url } = await start('with_flask.py', flask, (_file, port) => [
      debianPython,
      '-m',
      'flask',
      '--app',
      'with_flask',
      'run',
      '--port',
      `${port}`,
    ]);
    await asks(url, '/documents');
    expect(await ask(`${url}/health`)).toMatchObject({ status: 200 });
  });

  it('protects an application of WSGI', async () => {
    const serve = `
from wsgiref.simple_server import make_server
make_server("127.0.0.1", int(os.environ["PORT"]), app).serve_forever()
`;
    const { url } = await start('with_wsgi.py', wsgi + serve, (file) => [debianPython, file]);
    await asks(url, '/exports');
    expect(await ask(`${url}/health`)).toEqual({ status: 200, text: 'None' });
  });

  const run = async (name: string, code: string) => {
    await writeFile(join(folder, name), code);
    const env = Object.fromEntries(Object.entries(environment(0)).map(([name, value]) => [name, `${value}`]));
    return runCommand([debianPython, name], { cwd: folder, env });
  };

  it('verifies a key without a framework', async () => {
    expect(await run('plain.py', plain)).toMatchObject({ code: 0, stdout: 'not_found\n' });
  });

  it('verifies webhooks', async () => {
    const call = (headers: object, body: string) =>
      `print(receive(${JSON.stringify(headers)}, b'${body}'))\n`;
    const calls = call(signed(event), event) + call(signed(event), event.replace('1}', '2}'));
    const { code, stdout } = await run('webhooks.py', webhooks + calls);
    expect([code, stdout]).toEqual([0, "api_key.created {'user_id': 1}\n204\n400\n"]);
  });
});

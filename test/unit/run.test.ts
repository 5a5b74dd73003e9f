import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTemporaryFolder, root, runCommand } from '../support/process.ts';

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  copyFileSync(join(root, 'run.mjs'), join(folder.path, 'run.mjs'));
  const optionalDependencies = { 'node-here': '24.0.0', 'node-elsewhere': '24.0.0', 'node-absent': '24.0.0' };
  write('package.json', JSON.stringify({ devDependencies: { tool: '1.0.0' }, optionalDependencies }));
  write('node_modules/tool/package.json', JSON.stringify({ bin: { does: 'bin/does.mjs' } }));
});
afterEach(() => folder[Symbol.asyncDispose]());

function write(name: string, text: string): void {
  const path = join(folder.path, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** Installs a package that brings a Node for a platform: a program that says its name and what it was given. */
function install(name: string, os = 'any', cpu: string = process.arch, interpreter = '/bin/sh'): void {
  const platform = { os: [os === 'any' ? process.platform : os], cpu };
  write(`node_modules/${name}/package.json`, JSON.stringify({ ...platform, bin: { node: 'bin/node' } }));
  write(`node_modules/${name}/bin/node`, `#!${interpreter}\necho ${name} "$@"\n`);
}

/** Makes the Node of these tests believe that it is another. */
const pretend = (version: string) =>
  `--import=data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
  )}`;

const run = (args: readonly string[], options: readonly string[] = []) =>
  runCommand([process.execPath, ...options, join(folder.path, 'run.mjs'), ...args], {
    cwd: folder.path,
    env: {},
  });

describe.runIf(process.platform !== 'win32')('node run.mjs', () => {
  it("a file → run by this platform's Node, with all arguments", async () => {
    install('node-here');
    expect(await run(['--watch', 'some.ts', 'a b'])).toEqual({
      code: 0,
      stdout: 'node-here --watch some.ts a b\n',
      stderr: '',
    });
  });

  it('a command → runs the file of the package that has it', async () => {
    install('node-here');
    const file = join(folder.path, 'node_modules/tool/bin/does.mjs');
    expect((await run(['does', 'run'])).stdout).toBe(`node-here ${file} run\n`);
  });

  it.each([
    ['another system', 'sunos', process.arch],
    ['another processor', process.platform, 'mips'],
  ])('a Node for %s → not used', async (_, os, cpu) => {
    install('node-elsewhere', os, cpu);
    expect((await run(['--version'])).stdout).toBe(`${process.version}\n`);
  });

  it('a Node that cannot be loaded → the Node that runs run.mjs is used', async () => {
    install('node-here', 'any', process.arch, '/of/another/C/library');
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${process.version}\n`, stderr: '' });
  });

  it.each(['18.20.8', '22.22.2'])('only Node %s → one line that says what to install', async (old) => {
    install('node-elsewhere', 'sunos');
    expect(await run(['--version'], [pretend(old)])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `Keyward needs Node 24 or later, and npm has installed none for ${process.platform} on ${process.arch}.` +
        ` Install it from https://nodejs.org: this is Node ${old}.\n`,
    });
  });

  it('nothing installed yet → one line that says so', async () => {
    const bare = join(folder.path, 'bare');
    mkdirSync(bare);
    for (const name of ['run.mjs', 'package.json']) copyFileSync(join(folder.path, name), join(bare, name));
    const command = [process.execPath, pretend('20.0.0'), join(bare, 'run.mjs'), 'does'];
    expect(await runCommand(command, { cwd: bare, env: {} })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The packages of Keyward are not installed: run npm ci.\n',
    });
  });

  it.each([
    ['a Node without a manifest', 'node_modules/node-here/bin/node', ''],
    ['a command without a manifest', 'node_modules/tool/package.json', '{"bin": {'],
  ])('an incomplete installation, %s → one line that says so', async (_, file, text) => {
    write(file, text);
    expect(await run(['does'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Packages are not completely installed. Run npm ci.\n',
    });
  });

  it('the program starts `node` → it gets the same Node', async () => {
    install('node-here');
    write('node_modules/node-here/bin/node', '#!/bin/sh\n[ "$1" = 1 ] || node 1; echo done\n');
    expect((await run(['0'])).stdout).toBe('done\ndone\n');
  });

  it.each([
    ['process.exit(7)', 7],
    ['process.kill(process.pid, "SIGKILL")', 137],
  ])('the program ends by %s → exit code %i', async (text, code) => {
    write('ends.mjs', text);
    expect((await run([join(folder.path, 'ends.mjs')])).code).toBe(code);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s → passed on to the program, whose end is awaited',
    async (signal) => {
      write(
        'waits.mjs',
        `process.on('${signal}', () => process.exit(5)); process.stdin.resume(); console.log('on');`,
      );
      const args = [join(folder.path, 'run.mjs'), join(folder.path, 'waits.mjs')];
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([5, null]);
    },
  );

  it('a file in dist → built first, and the build leaves input and output alone', async () => {
    write('build.mjs', 'console.log("builds", process.argv[2], process.stdin.read());');
    write('dist/main.mjs', 'process.stdin.pipe(process.stdout);');
    const command = `echo input | '${process.execPath}' run.mjs dist/main.mjs`;
    expect(await runCommand(['sh', '-c', command], { cwd: folder.path, env: {} })).toEqual({
      code: 0,
      stdout: 'input\n',
      stderr: 'builds --if-changed null\n',
    });
  });

  it('a build that fails → nothing is started', async () => {
    write('build.mjs', 'process.exit(3)');
    write('dist/main.mjs', 'console.log("started")');
    expect(await run(['dist/main.mjs'])).toEqual({ code: 3, stdout: '', stderr: '' });
  });
});

describe('node build.mjs --if-changed', () => {
  const vite = 'node_modules/vite/index.js';
  const build = async (...args: string[]) => {
    const { code, stdout } = await run([join(folder.path, 'build.mjs'), ...args]);
    return [code, stdout];
  };
  const built = [0, 'web\nelements\nserver\n'];
  const nothing = [0, ''];

  beforeEach(() => {
    copyFileSync(join(root, 'build.mjs'), join(folder.path, 'build.mjs'));
    for (const name of [
      'src/a.ts',
      'web/page/b.ts',
      'web/elements/vite.config.ts',
      'schema/c.json',
      'tsconfig.json',
      'vite.config.ts',
    ])
      write(name, '1');
    write('package-lock.json', '{ "packages": { "node_modules/one": { "version": "1.0.0" } } }');
    write('node_modules/vite/package.json', '{ "type": "module", "exports": "./index.js" }');
    write(
      vite,
      `import { mkdirSync } from 'node:fs';
      export const build = ({ configFile }) => {
        mkdirSync('dist', { recursive: true });
        console.log(configFile.endsWith('/web/vite.config.ts') ? 'web' : configFile.endsWith('/web/elements/vite.config.ts') ? 'elements' : 'server');
      };`,
    );
  });

  it('started twice → built once, without the option → built again', async () => {
    expect(await build('--if-changed')).toEqual(built);
    expect(await build('--if-changed')).toEqual(nothing);
    expect(await build()).toEqual(built);
  });

  it.each([
    ['a source', 'src/a.ts', '2'],
    ['a page', 'web/page/b.ts', '2'],
    ['a new file', 'src/deep/er/d.ts', '1'],
    ['a contract', 'schema/c.json', '2'],
    ['how it is built', 'vite.config.ts', '2'],
    ['a package', 'package-lock.json', '{ "packages": { "node_modules/one": { "version": "1.0.1" } } }'],
  ])('a change of %s → built again', async (_, file, text) => {
    await build();
    write(file, text);
    expect(await build('--if-changed')).toEqual(built);
    expect(await build('--if-changed')).toEqual(nothing);
  });

  it.each([
    [
      'what npm wrote in another form',
      'package-lock.json',
      '{"packages":{"node_modules/one":{"version":"1.0.0","dev":true}}}',
    ],
    ['types for an editor', 'web/page/generated/types.d.ts', '1'],
    ['the time of a file', 'src/a.ts', '1'],
    ['a test', 'test/a.test.ts', '1'],
  ])('a change of %s → not built', async (_, file, text) => {
    await build();
    write(file, text);
    expect(await build('--if-changed')).toEqual(nothing);
  });

  it('a broken-off build → built again, even if the source is changed back', async () => {
    await build();
    write('src/a.ts', '2');
    write(vite, 'export const build = () => { throw new Error("broken off"); };');
    expect(await build('--if-changed')).toEqual([1, '']);
    write('src/a.ts', '1');
    expect(await build('--if-changed')).toEqual([1, '']);
  });

  it('Vite does not load → one line that says so, unless nothing has changed', async () => {
    await build();
    write('node_modules/vite/package.json', '{ "type": "module", "exports": "./gone.js" }');
    expect(await build('--if-changed')).toEqual(nothing);
    write('src/a.ts', '2');
    const { code, stdout, stderr } = await run([join(folder.path, 'build.mjs'), '--if-changed']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^dist\/ has to be built from this source, and Vite does not load: run npm ci\. .+\n$/,
    );
    expect(existsSync(join(folder.path, 'dist/built-from'))).toBe(true);
  });
});

import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder, root, runCommand } from '../support/process.ts';

const run = (script: string, cwd: string, env: Record<string, string> = {}) =>
  runCommand([process.execPath, join(root, '.ci', script)], { cwd, env, timeout: 25_000 });

/** A registry that answers an audit with what it knows of vulnerabilities; undefined: it answers none. */
async function startRegistry(advisories: object | undefined) {
  const server = createServer((request, response) => {
    const isAudit = request.url?.endsWith('/advisories/bulk') && advisories !== undefined;
    response.writeHead(isAudit ? 200 : 405, { 'content-type': 'application/json' });
    request.resume().on('end', () => response.end(isAudit ? JSON.stringify(advisories) : ''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Audits a project that has one package. */
async function audit(advisories: object | undefined) {
  await using folder = await createTemporaryFolder();
  using registry = await startRegistry(advisories);
  const project = { name: 'project', version: '1.0.0', dependencies: { leaky: '1.0.0' } };
  const packages = { '': project, 'node_modules/leaky': { version: '1.0.0' } };
  const write = (name: string, value: object) => writeFile(join(folder.path, name), JSON.stringify(value));
  await write('package.json', project);
  await write('package-lock.json', { ...project, lockfileVersion: 3, requires: true, packages });
  return await run('audit.mjs', folder.path, {
    npm_config_registry: registry.url,
    npm_config_cache: join(folder.path, 'cache'),
    npm_config_fetch_retries: '0',
  });
}

const advisory = (severity: string) => ({
  leaky: [
    { id: 1, url: 'https://example.com/1', title: 'It leaks', severity, vulnerable_versions: '<2.0.0' },
  ],
});

describe('the audit', () => {
  it.each(['high', 'critical'])('fails for a %s vulnerability, and names the package', async (severity) => {
    const { code, stderr } = await audit(advisory(severity));
    expect([code, stderr]).toEqual([1, `leaky: ${severity}\n`]);
  });

  it('passes if there is none, or a less severe one', async () => {
    expect(await audit({})).toMatchObject({ code: 0, stdout: expect.stringContaining('0 packages') });
    const { code, stdout } = await audit(advisory('moderate'));
    expect([code, stdout]).toEqual([0, '0 packages with severe vulnerabilities, 1 with others\n']);
  });

  it('says so if the registry does not answer', async () => {
    const { code, stdout } = await audit(undefined);
    expect([code, stdout]).toEqual([
      0,
      'The registry does not answer audits (405): nothing is known of vulnerabilities.\n',
    ]);
  });
});

describe('the bill of materials', () => {
  it('names exactly what production installs', async () => {
    expect(await run('sbom.mjs', root)).toMatchObject({ code: 0, stdout: '' });
    const document = JSON.parse(await readFile(join(root, 'artefacts/sbom.json'), 'utf8'));
    const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
    const installed = Object.entries<{ version: string; dev?: true }>(packages)
      .filter(([path, { dev }]) => path !== '' && !dev)
      .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
    const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(document).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name, version } } });
    const named = document.components.map((component: { 'bom-ref': string }) => component['bom-ref']);
    expect(named.toSorted()).toEqual([...new Set(installed)].toSorted());
    expect(named.some((each: string) => each.startsWith('graphql-yoga@'))).toBe(true);
  });
});

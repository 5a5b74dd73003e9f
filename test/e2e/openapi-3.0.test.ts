import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder, root, startProcess } from '../support/process.ts';
import { canRun } from '../support/programs.ts';

const run = promisify(execFile);

// Debian's package golang-github-getkin-kin-openapi-dev.
const packages = '/usr/share/gocode';
const parser = ['-d', `${packages}/src/github.com/getkin/kin-openapi`];

const runs =
  canRun('kin-openapi', 'it does not read the API description', parser, 'test') &&
  canRun('go', 'kin-openapi does not read the API description', ['version']);

describe.skipIf(!runs)('kin-openapi', () => {
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: packages, GOFLAGS: '' };
  const read = (file: string) =>
    run('go', ['run', join(root, 'test/support/read-openapi.go'), file], { env });

  it("reads the service's OpenAPI 3.0, and cannot read its 3.1", async () => {
    await using folder = await createTemporaryFolder();
    await using service = await startProcess(folder.path, { ADMIN: 'on', API_KEY_HEADER: 'Acme-Key' });
    const save = async (name: string) => {
      const response = await fetch(`${service.url}/api/v1/${name}`);
      expect(response.status).toBe(200);
      const text = await response.text();
      const file = join(folder.path, name);
      await writeFile(file, text);
      return { file, paths: Object.keys(JSON.parse(text).paths) };
    };
    const [older, newer] = [await save('openapi-3.0.json'), await save('openapi.json')];
    const { stdout } = await read(older.file);
    expect(stdout).toBe(`${newer.paths.length} paths, quota nullable: true\n`);
    await expect(read(newer.file)).rejects.toThrow('cannot unmarshal array');
  }, 120_000);
});

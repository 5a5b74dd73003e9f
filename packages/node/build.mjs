// Makes dist, small: the JavaScript of each entry and of what they share, and the types with their documentation.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
// biome-ignore lint/correctness/noUndeclaredDependencies: the repository declares it
import { build } from 'vite';

const root = import.meta.dirname;
const dist = join(root, 'dist');
const names = ['assertions', 'express', 'fastify', 'fetch', 'hono', 'http', 'index', 'next', 'webhooks'];

await build({
  configFile: false,
  root,
  logLevel: 'warn',
  build: {
    ssr: true,
    target: 'es2023',
    minify: true,
    reportCompressedSize: false,
    rolldownOptions: {
      input: Object.fromEntries(names.map((name) => [name, join(root, `src/${name}.ts`)])),
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        codeSplitting: { groups: [{ name: 'core', test: '/src/' }] },
      },
    },
  },
});

const compiler = join(root, '../../node_modules/typescript-7/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', root], { stdio: 'inherit' });

const read = (file) => readFileSync(join(dist, file), 'utf8').replaceAll('    ', '\t');
const shared = ['generated/openapi.d.ts', 'types.d.ts', 'index.d.ts'];
/** The types that others need, in one file: a package of many files is larger. */
const types = shared.map((file) => read(file).replaceAll(/^(import|export (type )?\{).*\n/gm, '')).join('');
for (const name of names)
  writeFileSync(
    join(dist, `${name}.d.ts`),
    name === 'index'
      ? types
      : read(`${name}.d.ts`).replaceAll(/'\.\/(generated\/openapi|types)\.ts'/g, "'./index.js'"),
  );
for (const name of readdirSync(dist))
  if (!name.endsWith('.js') && !names.includes(name.replace('.d.ts', '')))
    rmSync(join(dist, name), { recursive: true });

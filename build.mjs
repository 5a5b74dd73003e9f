// Builds the pages for a browser and the service into dist/. With --if-changed, only where dist/ was not built from
// the source as it is now: dist/ holds a digest of what it was built from.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = import.meta.dirname;
const record = join(root, 'dist/built-from');

/** A digest of all that decides what is built: the source, and the versions of all packages. */
function digestSources() {
  const hash = createHash('sha256');
  const add = (...parts) => hash.update(JSON.stringify(parts));
  const sources = ['{src,web,schema}/**/*', '{package,tsconfig}.json', '{build.mjs,vite.config.ts}'];
  // Types that are generated for an editor.
  const options = { cwd: root, withFileTypes: true, exclude: ['web/*/generated'] };
  const files = globSync(sources, options).filter((entry) => entry.isFile());
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).toSorted())
    add(path.slice(root.length), readFileSync(path, 'base64'));
  // npm may write the lock in another form, as `npm prune` does; what it locks is the same then.
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  for (const [path, { version }] of Object.entries(packages)) add(path, version);
  return hash.digest('hex');
}

// Vitest sets `test`: the pages would then hold what their libraries are debugged with.
process.env.NODE_ENV = 'production';

const digest = digestSources();
const isCurrent = existsSync(record) && readFileSync(record, 'utf8') === digest;
const isOnDemand = process.argv.includes('--if-changed');
if (!(isCurrent && isOnDemand)) {
  const vite = await import('vite').catch(({ message }) => {
    const [reason] = message.split('\n');
    process.stderr.write(
      `dist/ has to be built from this source, and Vite does not load: run npm ci. ${reason}\n`,
    );
    process.exit(1);
  });
  // Whoever asked for another thing wonders what takes so long.
  if (isOnDemand) process.stderr.write('Building Keyward, which takes some ten seconds.\n');
  // A build that is broken off leaves none.
  rmSync(record, { force: true });
  for (const folder of [`${root}/web`, `${root}/web/elements`, root])
    await vite.build({ configFile: `${folder}/vite.config.ts`, logLevel: 'warn' });
  writeFileSync(record, digest);
}

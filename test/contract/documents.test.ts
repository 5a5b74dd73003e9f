import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { statusOf } from '../../src/errors.ts';
import { type Block, documents } from '../support/documents.ts';
import { secretVariables } from '../support/secrets.ts';
import { unrunBlocks } from '../support/unrun-blocks.ts';

const schema = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));

const blocks = documents.flatMap(({ path, blocks }) =>
  blocks.map((block) => ({ ...block, name: `${path}, ${block.place}` })),
);
const checkedBy = (check: Block['check']) => blocks.filter((block) => block.check === check);

describe('a block of code in a document', () => {
  it.each(blocks)('is checked, or listed with a reason: $name', ({ check }) => {
    expect(check, 'see test/support/documents.ts for the ways to check it').not.toBe('none');
  });

  it.each(Object.entries(unrunBlocks))(
    'the list of blocks without a check names exactly those in %s',
    (path, reasons) => {
      const found = documents.find((document) => document.path === path)?.blocks ?? [];
      const listed = found
        .filter(({ check }) => check === 'listed')
        .map(({ text }) => text.split('\n', 1)[0]);
      expect(new Set(listed)).toEqual(new Set(Object.keys(reasons)));
    },
  );

  it.each(checkedBy('query'))('that is GraphQL is allowed by the schema: $name', ({ text }) => {
    expect(validate(schema, parse(text))).toEqual([]);
  });
});

/** The anchor of a heading, as it is made for links. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

const links = documents.flatMap(({ path, source }) =>
  [...source.matchAll(/\]\(([^):]+)\)/g)].map(([, link = '']) => ({ path, link })),
);

/** The files that the documents name. The recipe for a new operation has an invented one as its example. */
const namedFiles = documents.flatMap(({ path, source }) =>
  [...source.matchAll(/`((?:src|web|test|examples|deploy|schema)\/[\w./-]+\.[a-z]+)`/g)]
    .map(([, file = '']) => ({ path, file }))
    .filter(({ file }) => !file.includes('api-key-count')),
);

describe('a file that a document names', () => {
  it.each(namedFiles)('exists: $file in $path', ({ file }) => {
    expect(existsSync(file)).toBe(true);
  });
});

describe('a link in a document', () => {
  it.each(links)('leads somewhere: $link in $path', ({ path, link }) => {
    const [file, anchor] = link.split('#');
    const target = file ? join(dirname(path), file) : path;
    expect(existsSync(target)).toBe(true);
    const headings = anchor ? readFileSync(target, 'utf8').match(/^#+ .*$/gm) : null;
    if (anchor) expect(headings?.map((heading) => anchorOf(heading.replace(/^#+ /, '')))).toContain(anchor);
  });
});

/** What a shell makes of assignments. */
function variablesOf(assignments: string): Record<string, string> {
  const script = `set -a\n${assignments}\nenv -0`;
  const env = { PATH: process.env['PATH'] };
  const { status, stdout, stderr } = spawnSync('sh', ['-euc', script], { env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const entries = stdout.split('\0').map((entry) => /^([^=]+)=(.*)$/s.exec(entry) ?? []);
  return Object.fromEntries(entries.map(([, name = '', value = '']) => [name, value]));
}

/** What production needs, where a block does not say it. */
const production = (given: Record<string, string>) => ({
  NODE_ENV: 'production',
  ...secretVariables(),
  ...(!given['AUTH_ISSUER'] &&
    !given['AUTH_ISSUERS'] && { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'keyward' }),
});

describe('configuration in a document', () => {
  it.each(checkedBy('configuration'))('is valid in production: $name', ({ text }) => {
    const given = variablesOf(text);
    expect(() => loadConfig({ ...production(given), ...given })).not.toThrow();
  });
});

it('the table of errors has every code, with its status', () => {
  const rows = readFileSync('docs/errors.md', 'utf8').matchAll(/^\| (\d{3}) \| (`.*?`) \|/gm);
  const told = [...rows].flatMap(([, status = '', codes = '']) =>
    codes.split(', ').map((code) => [code.replaceAll('`', ''), Number(status)] as const),
  );
  // GraphQL's own, of documents.
  const ofDocuments = {
    PERSISTED_QUERY_NOT_FOUND: 200,
    GRAPHQL_PARSE_FAILED: 400,
    GRAPHQL_VALIDATION_FAILED: 400,
    OPERATION_RESOLUTION_FAILURE: 400,
  };
  expect(Object.fromEntries(told)).toEqual({ ...statusOf, ...ofDocuments });
});

it('the changelog has the version that runs', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(readFileSync('CHANGELOG.md', 'utf8')).toContain(`\n## [${version}] - `);
});

/** The first cells of a table in CONTRIBUTING. */
const firstCells = (title: string): string[] => {
  const section =
    readFileSync('CONTRIBUTING.md', 'utf8').split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, names]) => `${names}`);
};

it('CONTRIBUTING’s map has one line for each folder and file of src', () => {
  const lines = firstCells('Where things are');
  expect(lines.toSorted()).toEqual(
    readdirSync('src')
      .map((name) => `\`${name}\``)
      .toSorted(),
  );
});

it('CONTRIBUTING names the suites of each folder and file of src, once', () => {
  const named = firstCells('Which suites to run').flatMap((names) =>
    [...names.matchAll(/`src\/([^`/]+)`/g)].map(([, name]) => name),
  );
  expect(named.toSorted()).toEqual(readdirSync('src').toSorted());
});

it('the README has at most 200 lines', () => {
  expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(200);
});

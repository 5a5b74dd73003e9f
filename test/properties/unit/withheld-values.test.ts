import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../support/gateway.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';
import { callRest, queries, type Step } from '../../support/two-sides.ts';

const setup = setUpGateway();
let token: string;
beforeAll(async () => {
  token = await setup.sign();
});

/** A value that nothing may repeat, as text and as a number. */
const canary = 'canary7f3a';
const numeral = '918273645';

const repeated = /canary7f3a|918273645/i;

let refused = 0;

/** An answer to a fault; one to what was taken may well have it. */
const expectWithheld = ({ status, body }: Answer): void => {
  if (status >= 400) refused += 1;
  expect(status).toBeLessThan(500);
  expect(JSON.stringify([body?.errors, body?.detail])).not.toMatch(repeated);
};

const texts = fc.constantFrom(canary, `0x${canary}`, `${canary}\n`, `"${canary}`, `${canary}`.repeat(30));
const numbers = fc.constantFrom(
  Number(numeral),
  Number(`${numeral}000`),
  Number(`0.${numeral}`),
  -918_273_645,
);

/** JSON of any shape, with a canary at each of its ends. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    texts,
    numbers,
    fc.array(tie('json'), { minLength: 1, maxLength: 3 }),
    // A name that an input does not have is told.
    fc.dictionary(fc.constantFrom('a', 'b', 'toString'), tie('json'), { minKeys: 1, maxKeys: 2 }),
  ),
}));

/** The same as a literal of GraphQL's: text as a string, a block or a bare word. */
const { literal } = fc.letrec<{ literal: string }>((tie) => ({
  literal: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    texts.map((text) => JSON.stringify(text)),
    fc.constantFrom(`"""${canary}"""`, canary, `${canary}Word`),
    numbers.map(String),
    fc.array(tie('literal'), { minLength: 1, maxLength: 3 }).map((items) => `[${items.join(' ')}]`),
    fc
      .dictionary(fc.constantFrom('a', 'b'), tie('literal'), { minKeys: 1, maxKeys: 2 })
      .map((members) => `{${Object.entries(members).map((member) => member.join(': '))}}`),
  ),
}));

/** What no document can have in the place of a value. */
const broken = fc.oneof(
  fc.tuple(literal, literal).map(([one, other]) => `${one} ${other}`),
  fc.tuple(literal, literal).map(([one, other]) => `${one}: ${other}`),
  literal.map((text) => `[${text}`),
  literal.map((text) => `${text}]`),
  fc.constantFrom(
    ...[`"${canary}`, `"""${canary}`, `"\\u{${canary}}"`, `"\\${canary}"`, `"\\uca${canary}"`],
    ...[
      `0x${canary}`,
      `${numeral}${canary}`,
      `0${numeral}`,
      `${numeral}.${canary}`,
      `'${canary}'`,
      `~${canary}`,
    ],
    ...[`$ "${canary}"`, `@ "${canary}"`, `... ${canary}`, `!${canary}`, `{${canary}}`, `{"${canary}": 1}`],
  ),
);

const operations = Object.entries(queries)
  .filter(([, query]) => query.includes('$'))
  .map(([name, query]) => ({ name: name as Step['operation'], query }));

/** An operation, and one of its arguments. */
const place = fc.constantFrom(...operations).chain(({ name, query }) =>
  fc
    .constantFrom(...[...query.matchAll(/\$(\w+):/g)].map(([, argument = '']) => argument))
    .map((argument) => ({
      name,
      query,
      argument,
    })),
);

/** What the arguments are given beside the one that is tried. */
const good: Readonly<Record<string, string>> = { keyId: '1', privateKey: '"x"', key: '"x"' };

const graphql = (query: string, variables: object = {}) => setup.gateway.graphql(query, { token, variables });

const variablesWith = (query: string, argument: string, value: unknown) => {
  const required = Object.entries(good).filter(([name]) => query.includes(`$${name}:`));
  return {
    ...Object.fromEntries(required.map(([name, text]) => [name, JSON.parse(text)])),
    [argument]: value,
  };
};

/** The document with a literal in the place of each variable. */
const withLiteral = (query: string, argument: string, text: string) =>
  query
    .replace(/^(query|mutation) \([^)]*\)/, '$1')
    .replaceAll(/\w+: \$(\w+),?/g, (use, name: string) => {
      const given = name === argument ? text : good[name];
      return given === undefined ? '' : use.replace(`$${name}`, () => given);
    })
    .replace(/\(\s*\)/, '');

/** The document with a literal for the default of a variable. */
const withDefault = (query: string, argument: string, text: string) =>
  query.replace(new RegExp(`(\\$${argument}: \\w+!?)`), (definition) => `${definition} = ${text}`);

const runs = { numRuns: 150 };

/** Holds a property of answers, most of which are refusals. */
const hold = async (property: fc.IAsyncProperty<unknown>): Promise<void> => {
  refused = 0;
  await fc.assert(property as fc.IAsyncProperty<[unknown]>, runs);
  expect(refused).toBeGreaterThan(runs.numRuns / 2);
  expect(JSON.stringify(setup.gateway.log())).not.toMatch(repeated);
};

describe('no error response and no log repeats a value', () => {
  it('of a variable', () =>
    hold(
      fc.asyncProperty(place, json, async ({ query, argument }, value) => {
        expectWithheld(await graphql(query, variablesWith(query, argument, value)));
      }),
    ));

  it('of metadata, or a name', () =>
    hold(
      fc.asyncProperty(json, fc.constantFrom('\0', '\ud800', '['.repeat(40)), async (value, wrong) => {
        const inner = wrong.startsWith('[') ? JSON.parse(`${wrong}${']'.repeat(40)}`) : wrong;
        for (const metadata of [
          { [canary]: { [canary]: [value, inner] } },
          { [`${canary}${wrong}`]: 1, inner },
        ]) {
          expectWithheld(await graphql(queries['createApiKey'] ?? '', { metadata }));
          const input = { metadata: JSON.stringify(metadata) };
          const step = { operation: 'createApiKey', input, comparesWords: false } as const;
          expectWithheld(await callRest(setup.gateway, step, token));
        }
      }),
    ));

  it('of a literal', () =>
    hold(
      fc.asyncProperty(place, literal, async ({ query, argument }, text) => {
        expectWithheld(await graphql(withLiteral(query, argument, text)));
      }),
    ));

  it("of a variable's default", () =>
    hold(
      fc.asyncProperty(place, literal, async ({ query, argument }, text) => {
        expectWithheld(await graphql(withDefault(query, argument, text), variablesWith(query, 'none', 1)));
      }),
    ));

  it('of a directive, or of introspection', () =>
    hold(
      fc.asyncProperty(literal, json, async (text, value) => {
        expectWithheld(await graphql(`{ privateKeyStatus @skip(if: ${text}) { hasKey } }`));
        expectWithheld(await graphql(`{ privateKeyStatus { hasKey @include(unless: ${text}) } }`));
        expectWithheld(await graphql(`{ __type(name: [${text}]) { name } }`));
        const query = 'query ($s: Boolean!) { privateKeyStatus @skip(if: $s) { hasKey } }';
        expectWithheld(await graphql(query, { s: value }));
      }),
    ));

  it('of a text that is no document', () =>
    hold(
      fc.asyncProperty(place, broken, async ({ query, argument }, text) => {
        expectWithheld(await graphql(withLiteral(query, argument, text)));
        expectWithheld(await graphql(`${query} ${text}`));
      }),
    ));

  it('of a body that is not JSON', () =>
    hold(
      fc.asyncProperty(
        broken,
        fc.constantFrom('/graphql', '/api/v1/auth/private-key'),
        async (text, path) => {
          const headers = { 'content-type': 'application/json' };
          const wrong = [
            `{"private_key": ${canary}${text}}`,
            `{"query": "", "variables": {"k": ${canary}${text}}}`,
          ];
          for (const body of wrong)
            expectWithheld(await setup.gateway.fetch('POST', path, { token, body, headers }));
        },
      ),
    ));

  it('of a query string of GraphQL', () =>
    hold(
      fc.asyncProperty(
        broken,
        json,
        fc.constantFrom('variables', 'extensions'),
        async (text, value, name) => {
          const query = 'query ($keyId: Int!) { apiKey(keyId: $keyId) { id } }';
          for (const given of [
            `${canary}${text}`,
            `{"keyId": ${text}${canary}}`,
            JSON.stringify({ keyId: value }),
          ]) {
            const search = new URLSearchParams({ query, [name]: given });
            expectWithheld(await setup.gateway.fetch('GET', `/graphql?${search}`, { token }));
          }
        },
      ),
    ));

  it('of the path, the query string and the body of REST', () =>
    hold(
      fc.asyncProperty(place, json, async ({ name, argument }, value) => {
        const text = JSON.stringify(value);
        const step = { operation: name, input: { [argument]: text }, pathText: text, comparesWords: false };
        const answer = await callRest(setup.gateway, step, token);
        expectWithheld(answer);
      }),
    ));
});

import fc from 'fast-check';

/** Names that mean something to whoever takes an object for more than data. */
const names = ['toString', 'valueOf', 'then', 'toJSON', 'constructor', '__proto__', 'length', 'kid', 'alg'];

const scalars = [
  ...['null', 'true', 'false', '0', '-0', '1', '-1', '0.5', '1e308', '1e400', '-1e400'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '2147483648', '99999999999999999999'],
  ...['""', '" "', '"x"', '"null"', '"[object Object]"', '"\\u0000"', '"\\ud800"', `"${'x'.repeat(300)}"`],
];

/** A value in so many lists, or in so many objects. */
const nestings = [1, 10, 100, 1000, 2000].flatMap((depth) => [
  '['.repeat(depth) + ']'.repeat(depth),
  ...(depth > 500 ? [] : [`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`]),
]);

/** Lists of more members than anybody has audiences or scopes. */
const crowds = [`[${'0,'.repeat(2000)}0]`, `[${'"a",'.repeat(1000)}"a"]`, `"${'a '.repeat(2000)}"`];

const object = (members: readonly (readonly [string, string])[]) =>
  `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;

const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, fc.string({ maxLength: 5 }));

/** Any character. fast-check's own `binary` begins with a list of all, which takes a second. */
export const anyCharacter = fc.nat({ max: 0x10_ffff }).map((point) => String.fromCodePoint(point));

/** Any JSON, as text, which has what no value of JavaScript would be written as. */
export const anyJson: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: fc.constantFrom(...scalars) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: anyCharacter, maxLength: 20 }).map((text) => JSON.stringify(text)),
    },
    { weight: 1, arbitrary: fc.constantFrom(...nestings, ...crowds) },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }).map((list) => `[${list.join(',')}]`) },
    { weight: 4, arbitrary: fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(object) },
  ),
})).value;

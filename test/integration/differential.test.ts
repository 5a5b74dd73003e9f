import { expect, it } from 'vitest';
import { examples, given, setUpSides } from '../support/differential.ts';
import { inputsOf, operations } from '../support/two-sides.ts';

const sides = setUpSides();

it('the same calls through GraphQL and through REST → the same outcomes, and the same rows', async () => {
  const codes = await sides.compare(examples);
  const seen = codes.flatMap((code, index) => [code, `${examples[index]?.[0].operation} ${code}`]);
  const withInput = operations.filter((operation) => inputsOf(operation).length > 0);
  expect(seen).toEqual(
    expect.arrayContaining([
      ...['OK', 'NOT_FOUND', 'CONFLICT', 'BAD_USER_INPUT', 'FORBIDDEN', 'UNAUTHENTICATED'],
      ...operations.map((operation) => `${operation} OK`),
      ...withInput.map((operation) => `${operation} BAD_USER_INPUT`),
    ]),
  );
}, 60_000);

it('the rows that are compared are all that the calls change', async () => {
  await sides.compare([
    given('deactivateApiKey', { keyId: '1' }),
    given('updateAutomationSettings', { isEnabled: 'true', sessionDuration: '60' }, 'somebody new'),
    given('createApiKey', {}, 'somebody new'),
  ]);
  expect((await sides.rows()).map((rows) => rows.length)).toEqual([4, 4, 3, 1, 1, 4, 0, 1, 3]);
});

import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { GatewayError } from '../../../src/errors.ts';
import type { OperationContext, OperationSettings } from '../../../src/operations/context.ts';
import { operation, parseInput } from '../../../src/operations/operation.ts';

/** What parseInput says of an input that it refuses: path, type and message of each issue. */
const refusals = (schema: z.ZodType, input: unknown) => {
  try {
    parseInput(schema, input);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'BAD_USER_INPUT')
      return error.issues.map(({ path, type, message }) => [path.join('.'), type, message]);
    throw error;
  }
  throw new Error('the input was taken');
};

const schema = z.object({
  name: z.string().min(2, 'Short.').max(4, 'Long.').nullish(),
  size: z.int().min(1, 'Little.').max(9, 'Much.').optional(),
});

describe('parseInput', () => {
  it.each([{}, { name: null }, { name: 'abc', size: 5 }, { name: '𝒳😀' }])('%j → accepted', (input) => {
    expect(parseInput(schema, input)).toEqual(input);
  });

  it.each([
    [{ name: 'a' }, ['name', 'string_too_short', 'Short.']],
    [{ name: 'abcde' }, ['name', 'string_too_long', 'Long.']],
    [{ size: 0 }, ['size', 'greater_than_equal', 'Little.']],
    [{ size: 10 }, ['size', 'less_than_equal', 'Much.']],
  ])('%j → the same issue as in pydantic', (input, issue) => {
    expect(refusals(schema, input)).toEqual([issue]);
  });

  it('an absent member → missing; null → value_error', () => {
    const required = z.object({ name: z.string('No text.'), size: z.int('No number.') });
    expect(refusals(required, { size: null })).toEqual([
      ['name', 'missing', 'Required.'],
      ['size', 'value_error', 'No number.'],
    ]);
  });

  it('uses the type that a custom check names', () => {
    const check = (params?: Record<string, unknown>) =>
      z.object({ at: z.number().refine(() => false, { message: 'No.', ...(params && { params }) }) });
    expect(refusals(check({ type: 'datetime_future' }), { at: 1 })).toEqual([
      ['at', 'datetime_future', 'No.'],
    ]);
    expect(refusals(check({ type: 5 }), { at: 1 })).toEqual([['at', 'value_error', 'No.']]);
    expect(refusals(check(), { at: 1 })).toEqual([['at', 'value_error', 'No.']]);
  });

  it('several issues → all are listed', () => {
    expect(refusals(schema, { name: 'a', size: 0 })).toHaveLength(2);
  });
});

describe('text', () => {
  const text = z.object({ name: z.string().nullish(), more: z.unknown().optional() });

  it.each(['\ud800', 'a\udc00b', '\udc00\ud800', '\ud83d\ud83d\ude00'])(
    'with an unpaired surrogate is refused: %j',
    (name) => {
      expect(refusals(text, { name })).toEqual([['name', 'string_unicode', expect.any(String)]]);
    },
  );

  it.each(['\0', 'a\0b'])('with a NUL is refused: %j', (name) => {
    expect(refusals(text, { name })).toEqual([['name', 'value_error', 'Must not contain a NUL character.']]);
  });

  it('is checked at any depth', () => {
    expect(refusals(text, { more: ['a', { b: '\0' }] })).toMatchObject([
      ['more.1.b', 'value_error', expect.any(String)],
    ]);
  });

  it.each(['', '\u0001', '😀', '\ufffd', '\ufeff'])('other text → unchanged: %j', (name) => {
    expect(parseInput(text, { name })).toEqual({ name });
  });
});

describe('an operation', () => {
  const settingsOf = (apiKeysPerAccount: number) => ({ apiKeysPerAccount }) as OperationSettings;
  const contextOf = (settings: OperationSettings) => ({ services: { settings } }) as OperationContext;

  it('gets its input as the schema makes it', async () => {
    const greet = operation(
      z.object({ name: z.string().trim() }),
      async (_context, { name }) => `Hello ${name}`,
    );
    expect(await greet(contextOf(settingsOf(1)), { name: ' Hanna ' })).toBe('Hello Hanna');
  });

  it('does not run with an input that its schema refuses', async () => {
    const run = vi.fn(async () => {});
    const context = contextOf(settingsOf(1));
    await expect(operation(schema, run)(context, { size: 0 })).rejects.toThrow('size: Little.');
    expect(run).not.toHaveBeenCalled();
  });

  it('makes a schema by the settings once for the same settings', async () => {
    const create = vi.fn(({ apiKeysPerAccount: most }: OperationSettings) =>
      z.object({ size: z.int().max(most, `At most ${most}.`) }),
    );
    const sizeOf = operation(create, async (_context, { size }) => size);
    const [one, two] = [settingsOf(1), settingsOf(2)];
    expect(await sizeOf(contextOf(one), { size: 1 })).toBe(1);
    await expect(sizeOf(contextOf(one), { size: 2 })).rejects.toThrow('At most 1.');
    expect(await sizeOf(contextOf(two), { size: 2 })).toBe(2);
    expect(sizeOf.input(one)).toBe(sizeOf.input(one));
    expect(create).toHaveBeenCalledTimes(2);
  });
});

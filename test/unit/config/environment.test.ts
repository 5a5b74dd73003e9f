import { describe, expect, it } from 'vitest';
import { environmentSchema, topics } from '../../../src/config/environment.ts';

const variables = Object.entries(environmentSchema.shape);

it('each variable is in exactly one topic', () => {
  const named = Object.values(topics).flatMap((topic) => Object.keys(topic));
  expect(named).toEqual(variables.map(([name]) => name));
});

describe('the documentation of a variable', () => {
  it.each(variables)('%s has a description of one line, without a full stop', (_name, schema) => {
    expect(schema.meta()?.description).toMatch(/^[^\n]+[^.\n]$/);
  });

  // An example of a secret would be used as one; the file of another example is not here.
  it.each(
    variables.filter(([name]) => !/^KEY_|^ASSERTION_KEYS$|^WEBHOOKS$|_FILE$|^PROVIDER_LOGO$/.test(name)),
  )('%s has an example that is accepted', (_name, schema) => {
    const unquoted = schema.meta()?.example?.replace(/^'(.*)'$/, '$1');
    expect(unquoted).toBeTruthy();
    expect(schema.safeParse(unquoted).error).toBeUndefined();
  });

  it.each(variables.filter(([name]) => /TIMEOUT|DURATION|INTERVAL|GRACE|_AGE/.test(name)))(
    'says that %s is in seconds',
    (_name, schema) => {
      expect(schema.meta()?.description).toContain('seconds');
    },
  );
});

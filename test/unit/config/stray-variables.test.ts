import { describe, expect, it } from 'vitest';
import { environmentSchema } from '../../../src/config/environment.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { strayVariables } from '../../../src/config/stray-variables.ts';
import { foreignVariables } from '../../support/foreign-variables.ts';

const ours = Object.keys(environmentSchema.shape);

describe('a mistyped variable', () => {
  it.each([
    ['AUTH_AUDIANCE', 'AUTH_AUDIENCE'],
    ['AUTH_ISSUERSS', 'AUTH_ISSUERS'],
    ['AHTU_ISSUER', 'AUTH_ISSUER'],
    ['DATABASE_POOLSIZE', 'DATABASE_POOL_SIZE'],
    ['DATABASE_URL_FIEL', 'DATABASE_URL_FILE'],
    ['KEY_PEPPER', 'KEY_PEPPERS'],
    ['KEYPEPPERS', 'KEY_PEPPERS'],
    ['RATE_LIMIT_ADDRESSES', 'RATE_LIMIT_ADDRESS'],
    ['MAX_INFLIGHT', 'MAX_IN_FLIGHT'],
    ['NODE_EVN', 'NODE_ENV'],
    ['NODEENV', 'NODE_ENV'],
    ['node_env', 'NODE_ENV'],
    ['auth_audience', 'AUTH_AUDIENCE'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['PORTT', 'PORT'],
    ['OTEL_TRACES_SAMPLER_ARGS', 'OTEL_TRACES_SAMPLER_ARG'],
    ['OTEL_EXPORTER_OTLP_ENPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ])('%s → refused, and %s is named', (name, meant) => {
    expect(() => loadConfig({ [name]: 'c4n4ry' })).toThrow(
      new RegExp(`^  ${name} is no variable of Keyward: did you mean ${meant}\\?$`, 'm'),
    );
    expect(() => loadConfig({ [name]: 'c4n4ry' })).not.toThrow('c4n4ry');
  });

  it('beside another fault → both are reported', () => {
    expect(() => loadConfig({ AUTH_AUDIANCE: 'keyward', PORT: 'http' })).toThrow(
      /\n {2}PORT must .+\n {2}AUTH_AUDIANCE is no variable/,
    );
  });

  it('set to nothing → counts as not set', () => {
    expect(loadConfig({ AUTH_AUDIANCE: '', KEY_PEPPER: ' ' })).toEqual(loadConfig({}));
  });
});

describe('names that are not mistyped', () => {
  it('all variables of Keyward → none is refused', () => {
    expect(strayVariables(ours)).toEqual([]);
  });

  it.each(Object.entries(foreignVariables))('%s → none is refused', (_whose, names) => {
    expect(names.length).toBeGreaterThan(3);
    expect(strayVariables(names)).toEqual([]);
  });

  it('the environment of this test run → none is refused', () => {
    expect(strayVariables(Object.keys(process.env))).toEqual([]);
  });
});

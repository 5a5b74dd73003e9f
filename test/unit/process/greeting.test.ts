import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { greet } from '../../../src/process/greeting.ts';
import { secretVariables } from '../../support/secrets.ts';

const issuer = { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'keyward', ...secretVariables() };

const greeting = (environment: Record<string, string>, { port = 4000, terminal = true } = {}) =>
  greet({ config: loadConfig(environment), port, version: '1.2.3', terminal });

describe('in a terminal, in development', () => {
  it('shows every URL, a first call and the warning', () => {
    const text = greeting({});
    expect(text).toMatch(/GraphQL +http:\/\/127\.0\.0\.1:4000\/graphql\n/);
    expect(text).toMatch(/Console +http:\/\/127\.0\.0\.1:4000\/console\n/);
    expect(text).toMatch(/API reference +http:\/\/127\.0\.0\.1:4000\/api\/v1\/docs\n/);
    expect(greeting({ CONSOLE: 'off' })).not.toContain('/console');
    expect(text).toMatch(/REST +http:\/\/127\.0\.0\.1:4000\/api\/v1\n/);
    expect(text).toMatch(/OpenAPI +http:\/\/127\.0\.0\.1:4000\/api\/v1\/openapi\.json\n/);
    expect(text).toMatch(/Database +SQLite, data\/keyward\.db\n/);
    expect(text).toMatch(/Workers +1\n/);
    expect(text).toMatch(/Version +1\.2\.3\n/);
    expect(text).toContain(
      'curl -H "Authorization: Bearer $(npm run --silent token -- --subject alice)" http://127.0.0.1:4000/api/v1/auth/private-key\n',
    );
    expect(text).toContain('lets anyone in');
  });

  it.each([
    [{ HOST: '0.0.0.0' }, 4000, '$(npm run', 'http://127.0.0.1:4000/'],
    [{ HOST: '::' }, 4000, '$(npm run', 'http://127.0.0.1:4000/'],
    [{ PORT: '0' }, 40_123, '$(PORT=40123 npm run', 'http://127.0.0.1:40123/'],
    [{ HOST: '::1' }, 4000, '$(HOST=::1 npm run', 'http://[::1]:4000/'],
    [{ HOST: 'localhost' }, 80, '$(PORT=80 HOST=localhost npm run', 'http://localhost:80/'],
  ])('prints a call that works with %o', (environment, port, command, base) => {
    const curl = greeting(environment, { port }).match(/curl.*/)?.[0];
    expect(curl).toContain(command);
    expect(curl).toContain(`" ${base}api/v1`);
  });
});

describe('in a terminal, with a configured identity provider', () => {
  const DATABASE_URL = 'postgres://keyward:c4n4ry@db.example.com/keyward';

  it('shows the URLs and the issuer, but neither the first call nor the warning', () => {
    const text = greeting({ ...issuer, DATABASE_URL });
    expect(text).toContain('http://127.0.0.1:4000/graphql');
    expect(text).toMatch(/Access tokens of +https:\/\/id\.example\.com\n/);
    expect(text).not.toMatch(/curl|npm|anyone/);
  });

  it('does not show a database URL, which may have a password', () => {
    const text = greeting({ ...issuer, DATABASE_URL });
    expect(text).toMatch(/Database +PostgreSQL\n/);
    expect(text).not.toMatch(/c4n4ry|db\.example\.com/);
  });
});

describe('without a terminal', () => {
  const line = (environment: Record<string, string>, port: number): unknown => {
    const text = greeting(environment, { port, terminal: false });
    expect(text).toMatch(/^[^\n]+\n$/);
    return JSON.parse(text);
  };
  const ready = {
    level: 30,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    msg: 'ready',
    version: '1.2.3',
    database: 'SQLite',
    workers: 1,
    url: 'http://127.0.0.1:8080',
    graphql: 'http://127.0.0.1:8080/graphql',
    rest: 'http://127.0.0.1:8080/api/v1',
    openapi: 'http://127.0.0.1:8080/api/v1/openapi.json',
  };

  it('is one JSON line', () => {
    expect(line({ ...issuer, HOST: '0.0.0.0' }, 8080)).toEqual(ready);
  });

  it('says which database it is, and how many workers there are', () => {
    const DATABASE_URL = 'postgres://keyward:c4n4ry@db.example.com/keyward';
    const many = line({ ...issuer, HOST: '0.0.0.0', DATABASE_URL, WORKERS: '4' }, 8080);
    expect(many).toEqual({ ...ready, database: 'PostgreSQL', workers: 4 });
  });

  it('warns of the development identity provider', () => {
    expect(line({}, 8080)).toEqual({ ...ready, warning: expect.stringContaining('lets anyone in') });
  });
});

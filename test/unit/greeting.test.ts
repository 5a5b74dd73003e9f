import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { greet } from '../../src/greeting.ts';
import { secretVariables } from '../support/secrets.ts';

const issuer = { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'keyward', ...secretVariables() };

const greeting = (environment: Record<string, string>, { port = 4000, development = true } = {}) =>
  greet({ config: loadConfig(environment), port, development });

describe('in development', () => {
  it('shows every place, a first call and the warning', () => {
    const text = greeting({});
    expect(text).toMatch(/GraphiQL +http:\/\/127\.0\.0\.1:4000\/graphql\n/);
    expect(text).toMatch(/REST +http:\/\/127\.0\.0\.1:4000\/api\/v1\n/);
    expect(text).toMatch(/OpenAPI +http:\/\/127\.0\.0\.1:4000\/api\/v1\/openapi\.json\n/);
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

describe('with an identity provider of its own', () => {
  it('shows the places, and neither the first call nor the warning', () => {
    const text = greeting(issuer, { development: false });
    expect(text).toContain('http://127.0.0.1:4000/graphql');
    expect(text).not.toMatch(/curl|token|anyone/);
  });

  it('is one JSON line in production', () => {
    const environment = { ...issuer, NODE_ENV: 'production', HOST: '0.0.0.0' };
    const text = greeting(environment, { port: 8080, development: false });
    expect(text.trimEnd()).not.toContain('\n');
    expect(JSON.parse(text)).toEqual({ level: 30, msg: 'ready', url: 'http://127.0.0.1:8080' });
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { accountAdmin } from '../../src/auth/scopes.ts';
import type { Config } from '../../src/config/config.ts';
import { environmentSchema } from '../../src/config/environment.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { callbackPath } from '../../src/pages/pages.ts';
import { secretText } from '../support/secrets.ts';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

const compose = parse(read('compose.yaml'), { merge: true });
const { services } = compose;
const realm = JSON.parse(read('deploy/keycloak-realm.json'));
const manifest = JSON.parse(read('package.json'));
const variables = Object.keys(environmentSchema.shape);

describe('compose.yaml', () => {
  const { environment } = services.keyward;
  let folder: string;
  let config: Config;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'keyward-compose-'));
    writeFileSync(join(folder, 'database-url'), 'postgres://keyward:secret@postgres/keyward');
    for (const name of ['key-peppers', 'key-encryption-keys'])
      writeFileSync(join(folder, name), secretText());
    const mounted = Object.entries<string>(environment).map(([name, value]) => [
      name,
      value.replace('/run/secrets', folder),
    ]);
    config = loadConfig({ NODE_ENV: 'production', ...Object.fromEntries(mounted) });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('sets known variables, to values that production accepts', () => {
    for (const name of Object.keys(environment)) expect(variables).toContain(name);
    expect(config.database.url).toMatch(/^postgres:.*@postgres\//);
  });

  it('gives each service the secrets that it reads, and has no other secrets', () => {
    const paths = [
      ...Object.values<string>(environment),
      services.postgres.environment.POSTGRES_PASSWORD_FILE,
    ];
    const read = paths.filter((path) => path.startsWith('/run/secrets/')).map((path) => basename(path));
    const given = [...services.keyward.secrets, ...services.postgres.secrets];
    expect(given.toSorted()).toEqual(read.toSorted());
    expect(Object.keys(compose.secrets).toSorted()).toEqual(read.toSorted());
  });

  it.each(['keyward', 'migrate'])('runs %s on a read-only file system and without capabilities', (name) => {
    expect(services[name]).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      image: `keyward:${manifest.version}`,
    });
  });

  it('names the version of Compose that it needs, as the documentation does', () => {
    expect(compose).toHaveProperty('name');
    for (const text of [read('compose.yaml'), read('docs/operators.md')])
      expect(text).toContain('needs Docker Compose 2.3.3 or later');
  });

  it('pins each image to a version', () => {
    for (const { image } of Object.values<{ image: string }>(services))
      expect(image).toMatch(/:\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
  });

  it('publishes ports on this machine only', () => {
    const ports = Object.values<{ ports?: object[] }>(services).flatMap((service) => service.ports ?? []);
    expect(ports).toHaveLength(2);
    for (const port of ports) expect(port).toMatchObject({ host_ip: '127.0.0.1' });
  });

  it('trusts the realm that Keycloak imports, at the address that Keycloak has', () => {
    const [issuer] = config.issuers;
    const hostname = services.keycloak.command.find((flag: string) => flag.startsWith('--hostname='));
    expect(`--hostname=${new URL(issuer?.issuer ?? '').origin}`).toBe(hostname);
    expect(issuer?.issuer).toBe(`${new URL(issuer?.issuer ?? '').origin}/realms/${realm.realm}`);
    expect(services.keyward.network_mode).toBe('service:keycloak');
  });

  it('its realm has a client with the scopes that operations need', () => {
    const [client] = realm.clients;
    const [audience] = client.protocolMappers;
    expect(config.issuers[0]?.audiences).toContain(audience.config['included.custom.audience']);
    expect(client).toMatchObject({
      clientId: environment.AUTH_BROWSER_CLIENT_ID,
      publicClient: true,
      redirectUris: [config.publicUrl + callbackPath],
      webOrigins: [config.publicUrl],
    });
    const scopes = [...client.defaultClientScopes, ...client.optionalClientScopes];
    expect(realm.clientScopes.map(({ name }: { name: string }) => name)).toEqual(scopes);
    expect(['openid', ...scopes]).toEqual(expect.arrayContaining([...accountAdmin]));
  });
});

describe('deploy/keyward.service', () => {
  it('sets only known variables', () => {
    const set = [...read('deploy/keyward.service').matchAll(/^#?Environment=([A-Z_]+)=/gm)].map(
      ([, name]) => name,
    );
    expect(set.filter((name) => name !== 'NODE_COMPILE_CACHE').length).toBeGreaterThan(3);
    for (const name of set) expect([...variables, 'NODE_COMPILE_CACHE']).toContain(name);
  });
});

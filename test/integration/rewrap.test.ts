import { describe, expect, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { Db } from '../../src/database/db.ts';
import { assertSecretVersions } from '../../src/database/secret-versions.ts';
import type { AccountId, WebhookEndpoint } from '../../src/database/tables.ts';
import { digests } from '../../src/rewrap/digests.ts';
import { type Rewrapped, type Rewrapping, rewrap } from '../../src/rewrap/rewrap.ts';
import { privateKeys, sealedApiKeys, webhookSecrets } from '../../src/rewrap/sealed-values.ts';
import { createSecrets, type Secrets } from '../../src/secrets/secrets.ts';
import { openSecrets } from '../../src/webhooks/sending/stored-endpoints.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { createPrivateKey, createSealedKey } from '../support/sealed-rows.ts';
import { secretListOf } from '../support/secrets.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { createAdded, createConfigured } from '../support/webhook-sender.ts';

const setup = setUpGateway();

const old = { peppers: secretListOf(1), encryptionKeys: secretListOf(1) };
const both = createSecrets({
  peppers: [...secretListOf(2), ...old.peppers] as const,
  encryptionKeys: [...secretListOf(2), ...old.encryptionKeys] as const,
});

/** A gateway with the old secrets, on a database in which alice has a private key and sealed API keys. */
async function createFilled(sealedKeys: number) {
  const gateway = await createTestGateway(setup.issuer, { secretKeys: old });
  const { database, secrets } = gateway;
  const alice = await gateway.createAccount('alice');
  await createPrivateKey(database, secrets, alice);
  const keys: Awaited<ReturnType<typeof createSealedKey>>[] = [];
  for (let index = 0; index < sealedKeys; index += 1)
    keys.push(await createSealedKey(database, secrets, alice));
  return { gateway, db: new Db(database.em), keys };
}

/** Moves values of one sort, each of them changed by somebody else after it was read. */
const rewrapLate = <Row extends { readonly id: number }>(
  db: Db,
  kind: Rewrapping<Row>,
  change: () => Promise<unknown>,
) =>
  rewrap(
    db,
    {
      ...kind,
      prepare: async (row) => {
        const write = await kind.prepare(row);
        await change();
        return write;
      },
    },
    () => {},
  );

const versionsOf = async (gateway: TestGateway) => ({
  privateKeys: (await gateway.rows('private_key')).map((row) => row['encryption_version']),
  sealed: (await gateway.rows('api_key')).map((row) => row['encryption_version']),
  digests: (await gateway.rows('api_key_secret')).map((row) => row['pepper_version']),
});

const moveAll = async (db: Db, secrets: Secrets) => [
  await rewrap(db, privateKeys(secrets.sealer), () => {}),
  await rewrap(db, sealedApiKeys(secrets.sealer), () => {}),
  await rewrap(db, digests(secrets), () => {}),
];

describe('rewrapping', () => {
  it('moves everything to the newest versions', async () => {
    const { gateway, db } = await createFilled(3);
    await using _gateway = gateway;
    expect(await moveAll(db, both)).toEqual([
      { moved: 1, broken: [], left: 0 },
      { moved: 3, broken: [], left: 0 },
      { moved: 3, broken: [], left: 0 },
    ]);
    expect(await versionsOf(gateway)).toEqual({
      privateKeys: [2],
      sealed: [2, 2, 2],
      digests: [2, 2, 2],
    });
  });

  type Change = () => Promise<unknown>;
  it.each<[string, (db: Db, change: Change) => Promise<Rewrapped>, string]>([
    [
      'private key',
      (db, change) => rewrapLate(db, privateKeys(both.sealer), change),
      "update private_key set sealed_key = 'a..b.c.d'",
    ],
    [
      'sealed copy',
      (db, change) => rewrapLate(db, sealedApiKeys(both.sealer), change),
      "update api_key set encrypted_key = 'a..b.c.d'",
    ],
    [
      'digest',
      (db, change) => rewrapLate(db, digests(both), change),
      'update api_key_secret set digest = substr(digest, 1, 31)',
    ],
  ])('leaves a %s alone that was changed since it was read', async (_what, rewrapWith, sql) => {
    const { gateway, db } = await createFilled(1);
    await using _gateway = gateway;
    const outcome = await rewrapWith(db, () => gateway.database.em.fork().execute(sql));
    expect(outcome).toEqual({ moved: 0, broken: [], left: 1 });
    expect(await versionsOf(gateway)).toEqual({ privateKeys: [1], sealed: [1], digests: [1] });
  });

  it('says which keys still need an older pepper; unneeded digests do not count', async () => {
    const { gateway, db, keys } = await createFilled(1);
    await using _gateway = gateway;
    const alice = (await gateway.rows('account'))[0]?.['id'] as AccountId;
    const sealed = keys[0]?.id ?? 0;
    const past = new Date(Date.now() - 1);
    const later = new Date(Date.now() + 60_000);
    await gateway.addSecret(sealed, createApiKeySecret(), past);
    await gateway.addSecret(sealed, createApiKeySecret(), later);
    await gateway.createVerifiableKey(alice, { isActive: false });
    const expired = await gateway.createVerifiableKey(alice, { expiresAt: past });
    const kind = digests(both);
    expect(await rewrap(db, kind, () => {})).toEqual({ moved: 1, broken: [], left: 2 });
    // The owner may extend a key that expired.
    expect(await kind.explain?.(db)).toEqual([
      `needed until these keys are rotated or deactivated: ${expired.id}`,
      `needed by former secrets of rotated keys until ${later.toISOString()}`,
    ]);
    await gateway.database.em.fork().execute('update api_key set is_active = false');
    expect(await kind.count(db)).toBe(0);
    expect(await kind.explain?.(db)).toEqual([]);
  });

  it('names at most 20 keys', async () => {
    const { gateway, db } = await createFilled(0);
    await using _gateway = gateway;
    const alice = (await gateway.rows('account'))[0]?.['id'] as AccountId;
    for (let made = 0; made < 21; made += 1) await gateway.createVerifiableKey(alice);
    const ids = (await gateway.rows('api_key')).slice(0, 20).map(({ id }) => id);
    expect(await digests(both).explain?.(db)).toEqual([
      `needed until these keys are rotated or deactivated: ${ids.join(', ')}, …`,
    ]);
  });
});

describe('the secrets of a webhook endpoint', () => {
  it('are moved to the newest version, unchanged', async () => {
    await using gateway = await createTestGateway(setup.issuer, { secretKeys: old });
    const db = new Db(gateway.database.em);
    const id = await createAdded({ gateway }, 'https://hooks.example.com/');
    await createConfigured({ gateway }, 'https://configured.example.com/');
    const read = async ({ sealer }: Secrets) => {
      const [row] = await gateway.rows('webhook_endpoint');
      const { sealed_secrets: sealedSecrets, encryption_version: encryptionVersion } = row ?? {};
      return openSecrets(sealer, { id, sealedSecrets, encryptionVersion } as WebhookEndpoint);
    };
    const before = await read(gateway.secrets);
    expect(before).toEqual({ secrets: [expect.stringMatching(/^whsec_/)], headers: {} });
    const next = secretListOf(2);
    const newer = createSecrets({ peppers: old.peppers, encryptionKeys: next });
    await expect(assertSecretVersions(db, newer)).rejects.toThrow(
      'KEY_ENCRYPTION_KEYS has no version 1, under which secrets of webhook endpoints are sealed',
    );
    const { sealer } = createSecrets({ ...old, encryptionKeys: [...next, ...old.encryptionKeys] });
    expect(await rewrap(db, webhookSecrets(sealer), () => {})).toEqual({
      moved: 1,
      broken: [],
      left: 0,
    });
    expect(await read(newer)).toEqual(before);
    await assertSecretVersions(db, newer);
  });
});

describe('the configured versions', () => {
  it('must include all that stored rows use', async () => {
    const { gateway, db } = await createFilled(1);
    await using _gateway = gateway;
    await assertSecretVersions(db, createSecrets(old));
    await assertSecretVersions(db, both);
    const newer = createSecrets({ peppers: secretListOf(2), encryptionKeys: secretListOf(2) });
    await expect(assertSecretVersions(db, newer)).rejects.toThrow(
      /KEY_PEPPERS has no version 1, .*\n.*KEY_ENCRYPTION_KEYS has no version 1, .* API keys .*\n.*KEY_ENCRYPTION_KEYS has no version 1, .* private keys/,
    );
    // What is not sealed refers to no version.
    await gateway.database.em.fork().execute('update api_key set encrypted_key = null');
    await gateway.database.em.fork().execute('delete from private_key');
    const peppered = createSecrets({ peppers: old.peppers, encryptionKeys: secretListOf(5) });
    await assertSecretVersions(db, peppered);
  });

  it('may include others', async () => {
    await assertSecretVersions(new Db(setup.gateway.database.em), both);
  });
});

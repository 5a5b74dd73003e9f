import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import type { VerificationKeys } from '../../src/auth/verification-keys.ts';
import { Db } from '../../src/database/db.ts';
import type { AccountId } from '../../src/database/tables.ts';
import { handleLeaks } from '../../src/door/leak-reports/handle-leaks.ts';
import { readScannerKeys } from '../../src/door/leak-reports/report-signature.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { foreignKey, importTo, publicKey, sha256 } from '../support/imports.ts';
import { recordStatements } from '../support/record-statements.ts';
import {
  createSigningKey,
  matchOf,
  type Scanner,
  signatureHeaders,
  startScanner,
} from '../support/scanner.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { setUpSenders, until } from '../support/webhook-sender.ts';

let scanner: Scanner;
let scannerKeys: VerificationKeys;
beforeAll(async () => {
  scanner = await startScanner();
  scannerKeys = readScannerKeys(scanner.url, { failed: () => {}, recovered: () => {} });
});
afterAll(async () => {
  scannerKeys[Symbol.dispose]();
  await scanner[Symbol.asyncDispose]();
});

const keys = { find: (identifier: unknown) => scannerKeys.find(identifier) };
const setup = setUpGateway({ leakReports: { act: 'end', keys } });
const webhooks = setUpSenders(setup);

const path = '/keys/leaks';
const url = 'https://github.com/octocat/Hello-World/blob/main/a.txt';

const send = (matches: unknown, gateway: TestGateway = setup.gateway) =>
  gateway.rest('POST', path, scanner.report(matches));

const labelsOf = (body: { token_raw: string; label: string }[]) => body.map(({ label }) => label);

const verify = async (key: string, gateway: TestGateway = setup.gateway) => {
  const token = await setup.sign({ scope: 'keys.verify' });
  const { body } = await gateway.rest('POST', '/keys/verify', { token, json: { key } });
  return body.valid ? 'valid' : body.reason;
};

const createKey = async (values = {}, subject = 'alice') => {
  const known = (await setup.gateway.rows('account')).find((account) => account['subject'] === subject);
  const account = (known?.['id'] as AccountId | undefined) ?? (await setup.gateway.createAccount(subject));
  return { account, ...(await setup.gateway.createVerifiableKey(account, values)) };
};

/** What was written down by a scanner: what, of which key, and what was changed. */
const written = async (gateway: TestGateway = setup.gateway) =>
  (await gateway.rows('audit_event'))
    .filter(({ actor }) => actor === 'scanner')
    .map(({ action, target, details }) => [action, target, JSON.parse(`${details}`)]);

const found = { field: 'leaked_url', from: null, to: url };
const ended = { field: 'is_active', from: true, to: false };

describe('a key that was found', () => {
  it('is deactivated at once, and its owner sees where it was found', async () => {
    const { id, secret, account } = await createKey();
    const other = await createKey();
    expect(await verify(secret)).toBe('valid');
    const answer = await send([matchOf(secret)]);
    expect(answer).toMatchObject({
      status: 200,
      body: [{ token_raw: secret, token_type: 'keyward_api_key', label: 'true_positive' }],
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect([await verify(secret), await verify(other.secret)]).toEqual(['inactive', 'valid']);
    const token = await setup.sign();
    const record = await setup.gateway.rest('GET', `/auth/keys/${id}`, { token });
    expect(record.body).toMatchObject({ is_active: false, deactivated_at: expect.any(String) });
    const requestId = answer.headers.get('x-request-id');
    const event = { target_id: id, actor: 'scanner', address: null, request_id: requestId, reason: null };
    const { body } = await setup.gateway.rest('GET', '/audit-events', { token });
    expect(body).toMatchObject([
      { ...event, action: 'api-key-deactivated', changes: [ended] },
      { ...event, action: 'api-key-leaked', changes: [found, ended] },
    ]);
    const log = setup.gateway.log();
    for (const name of ['api-key-leaked', 'api-key-deactivated'])
      expect(log).toContainEqual(expect.objectContaining({ event: name, accountId: account, keyId: id }));
    expect(log).toContainEqual(
      expect.objectContaining({
        ...{ route: '/api/v1/keys/leaks', operation: 'reportLeakedKeys', status: 200 },
        requestId,
      }),
    );
    // Where it was found is its owner's, and the secret is nobody's.
    expect(JSON.stringify(log)).not.toMatch(/octocat|[0-9a-f]{60}/);
    expect(JSON.stringify(await setup.stored())).not.toContain(secret);
  });

  it('reported again → deactivated once, and nothing more is written', async () => {
    const { secret } = await createKey();
    const report = scanner.report([matchOf(secret), matchOf(secret, 'https://example.com/later')]);
    const answers = [await setup.gateway.rest('POST', path, report)];
    const before = await setup.stored();
    answers.push(await setup.gateway.rest('POST', path, report));
    answers.push(await send([matchOf(secret, 'https://example.com/elsewhere')]));
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(new Set(labelsOf(body))).toEqual(new Set(['true_positive']));
    }
    expect(await setup.stored()).toEqual(before);
    // Of several places in a report, the first is told.
    expect((await written())[0]?.[2]).toEqual([found, ended]);
  });

  it('in many reports at once → deactivated once', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, (_, at) => createKey({}, `person ${at}`)));
    const matches = made.map(({ secret }) => matchOf(secret));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => send(at % 2 === 0 ? matches : matches.toReversed())),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    const actions = (await written()).map(([action, target]) => `${action} ${target}`);
    const expected = made.flatMap(({ id }) => [`api-key-leaked ${id}`, `api-key-deactivated ${id}`]);
    expect(actions.toSorted()).toEqual(expected.toSorted());
  });

  it('of a blocked account → deactivated too', async () => {
    const { secret, id, account } = await createKey();
    const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
    const json = { reason: 'because' };
    expect(
      (await setup.gateway.rest('POST', `/admin/accounts/${account}/block`, { token, json })).status,
    ).toBe(200);
    await send([matchOf(secret)]);
    expect(await setup.gateway.rows('api_key')).toMatchObject([{ id, is_active: 0 }]);
  });

  it('with another prefix → found', async () => {
    const { id } = await createKey();
    const secret = createApiKeySecret('acme_live_');
    await setup.gateway.addSecret(id, secret);
    expect(labelsOf((await send([matchOf(secret)])).body)).toEqual(['true_positive']);
    expect(await verify(secret)).toBe('inactive');
  });

  it('that was imported → found, whatever its form', async () => {
    for (const key of [foreignKey(), publicKey()]) {
      const line = { issuer: setup.issuer.config.issuer, subject: 'alice', key_prefix: key.slice(0, 9) };
      await importTo(setup.gateway, [{ ...line, sha256: sha256(key) }]);
      expect(await verify(key)).toBe('valid');
      expect(labelsOf((await send([matchOf(key)])).body)).toEqual(['true_positive']);
      expect(await verify(key)).toBe('inactive');
    }
  });

  it.each([
    [1000, 'true_positive', 0],
    [1001, 'false_positive', 1],
  ])(
    'that was imported is looked up if it has at most 1000 characters: %i',
    async (length, label, isActive) => {
      const key = 'x'.repeat(length);
      const line = { issuer: setup.issuer.config.issuer, subject: 'alice', key_prefix: 'xx' };
      await importTo(setup.gateway, [{ ...line, sha256: sha256(key) }]);
      expect(labelsOf((await send([matchOf(key)])).body)).toEqual([label]);
      expect(await setup.gateway.rows('api_key')).toMatchObject([{ is_active: isActive }]);
    },
  );

  it('its account is erased → the place is deleted too', async () => {
    const { account, secret } = await createKey();
    await send([matchOf(secret)]);
    const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
    expect((await setup.gateway.rest('DELETE', `/admin/accounts/${account}`, { token })).status).toBe(200);
    await setup.gateway.erasures.run();
    expect(JSON.stringify(await setup.stored())).not.toContain('octocat');
    const answer = await send([matchOf(secret)]);
    expect(labelsOf(answer.body)).toEqual(['false_positive']);
  });
});

describe('a secret that was rotated out', () => {
  const rotated = async (worksUntil: Date) => {
    const key = await createKey({ previousWorksUntil: worksUntil });
    const old = createApiKeySecret();
    await setup.gateway.addSecret(key.id, old, worksUntil);
    return { ...key, old };
  };

  it('is ended, and its key stays active', async () => {
    const worksUntil = new Date(Date.now() + 600_000);
    const { id, secret, old } = await rotated(worksUntil);
    const before = Date.now();
    expect(labelsOf((await send([matchOf(old)])).body)).toEqual(['true_positive']);
    expect([await verify(old), await verify(secret)]).toEqual(['rotated', 'valid']);
    const [event, ...others] = await written();
    const to = event?.[2][1].to;
    expect(event).toEqual([
      'api-key-leaked',
      id,
      [found, { field: 'previous_works_until', from: worksUntil.toISOString(), to }],
    ]);
    expect(others).toEqual([]);
    expect(Date.parse(to)).toBeGreaterThanOrEqual(before);
    const [key] = await setup.gateway.rows('api_key');
    expect(key).toMatchObject({ is_active: 1, previous_works_until: Date.parse(to) });
    const stored = await setup.stored();
    await send([matchOf(old)]);
    expect(await setup.stored()).toEqual(stored);
  });

  it('does not change the end of another secret', async () => {
    const worksUntil = new Date(Date.now() + 600_000);
    const { id, old } = await rotated(worksUntil);
    const older = createApiKeySecret();
    await setup.gateway.addSecret(id, older, new Date(Date.now() + 60_000));
    await send([matchOf(older)]);
    expect([await verify(old), await verify(older)]).toEqual(['valid', 'rotated']);
    expect(await setup.gateway.rows('api_key')).toMatchObject([
      { previous_works_until: worksUntil.getTime() },
    ]);
  });

  it('found together with the current one → the key is deactivated', async () => {
    const { id, secret, old } = await rotated(new Date(Date.now() + 600_000));
    await send([matchOf(old), matchOf(secret)]);
    expect([await verify(old), await verify(secret)]).toEqual(['inactive', 'inactive']);
    const actions = (await written()).map(([action, target]) => [action, target]);
    expect(actions.toSorted()).toEqual([
      ['api-key-deactivated', id],
      ['api-key-leaked', id],
      ['api-key-leaked', id],
    ]);
  });

  it('that has ended, reported again → no new secret is ended', async () => {
    const { old, secret } = await rotated(new Date(Date.now() - 1000));
    const before = await setup.stored();
    expect(labelsOf((await send([matchOf(old)])).body)).toEqual(['true_positive']);
    expect(await setup.stored()).toEqual(before);
    expect(await verify(secret)).toBe('valid');
  });
});

describe('a text that is no active key', () => {
  it.each([
    ['inactive', { isActive: false }],
    ['expired', { expiresAt: new Date(Date.now() - 1000) }],
  ])('a key that is %s → true_positive, and nothing is written', async (_what, values) => {
    const { secret } = await createKey(values);
    const before = await setup.stored();
    expect(labelsOf((await send([matchOf(secret)])).body)).toEqual(['true_positive']);
    expect(await setup.stored()).toEqual(before);
  });

  it('any other text → false_positive, and nothing is written', async () => {
    const { secret } = await createKey();
    const before = await setup.stored();
    const tokens = [
      createApiKeySecret(),
      secret.slice(0, -1),
      `${secret} `,
      secret.toUpperCase(),
      secret.repeat(20),
      ...['', ' ', '\0', '\ud800', "' or 1 = 1 --", '__proto__', '٠'.repeat(500)],
    ];
    const { status, body } = await send(tokens.map((token) => matchOf(token)));
    expect(status).toBe(200);
    expect(body).toEqual(
      tokens.map((token) => ({
        token_raw: token,
        token_type: 'keyward_api_key',
        label: 'false_positive',
      })),
    );
    expect(await setup.stored()).toEqual(before);
    expect(await verify(secret)).toBe('valid');
  });
});

it('many keys take as many statements as one', async () => {
  const statements = async (count: number) => {
    const made: Awaited<ReturnType<typeof createKey>>[] = [];
    for (let at = 0; at < count; at += 1) made.push(await createKey({}, `person ${at % 3}`));
    const junk = Array.from({ length: count }, () => createApiKeySecret());
    const matches = [...made.map(({ secret }) => secret), ...junk].map((token) => matchOf(token));
    const { sql } = await recordStatements(setup.gateway.database, async () => {
      const { status, body } = await send(matches);
      expect([status, labelsOf(body).filter((label) => label === 'true_positive').length]).toEqual([
        200,
        count,
      ]);
    });
    return sql.length;
  };
  const [one, many] = [await statements(1), await statements(60)];
  expect(many).toBe(one);
  expect(one).toBeLessThanOrEqual(6);
  expect(await written()).toHaveLength(2 * 61);
});

describe('the place where a key was found', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an empty text', ''],
    ['a number', 7],
    ['a script', 'javascript:alert(1)'],
    ['no URL', 'somewhere'],
    ['a NUL', `${url}\0`],
    ['half of a character', `${url}\ud800`],
    ['a character that turns the others around', `${url}\u202etxt.exe`],
    ['a line end', `${url}\nagain`],
    ['too long a text', `https://example.com/${'a'.repeat(2000)}`],
  ])('%s → left out, and the key is still deactivated', async (_what, place) => {
    const { id, secret } = await createKey();
    const { status } = await send([{ ...matchOf(secret), url: place }]);
    expect(status).toBe(200);
    expect((await written())[0]).toEqual(['api-key-leaked', id, [ended]]);
  });
});

/** Percent-encodes each character of a text that many times. */
const encode = (text: string, times = 1): string =>
  times === 0
    ? text
    : encode([...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''), times - 1);

describe('a place that contains a key is not stored', () => {
  it.each<[string, (secret: string) => string]>([
    ['as it is', (secret) => secret],
    ['in capital letters', (secret) => secret.toUpperCase()],
    ['with an encoded point', (secret) => secret.replace('.', '%2E')],
    ['with an encoded point, twice', (secret) => secret.replace('.', '%252e')],
    ['encoded', (secret) => encode(secret)],
    ['encoded, in capital letters', (secret) => encode(secret.toUpperCase())],
    ['with one letter encoded', (secret) => encode(secret.charAt(0)) + secret.slice(1)],
    ['with one letter encoded four times', (secret) => encode(secret.charAt(0), 4) + secret.slice(1)],
    ['with one letter encoded six times', (secret) => encode(secret.charAt(0), 6) + secret.slice(1)],
  ])('%s', async (_what, spell) => {
    const { id, secret } = await createKey();
    await send([matchOf(secret, `https://github.com/octocat/Hello-World/blob/main/${spell(secret)}.txt`)]);
    expect((await written())[0]).toEqual(['api-key-leaked', id, [ended]]);
    const stored = JSON.stringify(await setup.stored()).toLowerCase();
    expect(stored).not.toContain(secret.slice(-40));
    expect(stored).not.toContain(spell(secret).toLowerCase());
  });

  it('with another key of the same report', async () => {
    const [one, other] = [await createKey(), await createKey()];
    const place = `https://github.com/octocat/Hello-World/blob/main/${other.secret.toUpperCase()}`;
    await send([matchOf(one.secret, place), matchOf(other.secret, url)]);
    const ofOne = (await written()).find(([name, id]) => name === 'api-key-leaked' && id === one.id);
    expect(ofOne).toEqual(['api-key-leaked', one.id, [ended]]);
    expect(JSON.stringify(await setup.stored()).toLowerCase()).not.toContain(other.secret.slice(-40));
  });

  it('an encoded place without a key is stored', async () => {
    const { id, secret } = await createKey();
    const place = 'https://github.com/octocat/Hello-World/blob/main/a%20b%2Fc.txt';
    await send([matchOf(secret, place)]);
    expect((await written())[0]).toEqual(['api-key-leaked', id, [{ ...found, to: place }, ended]]);
  });
});

describe('a report', () => {
  it('with an invalid entry → the other keys are still found', async () => {
    expect(await send([])).toMatchObject({ status: 200, body: [] });
    const { secret } = await createKey();
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    const odd = ['null', '7', '"text"', '[]', '{}', '{"token":7}', `{"token":["${secret}"]}`, deep];
    const matches = [`{"token":"x","type":${deep}}`, `{"token":"${secret}","__proto__":{"token":"y"}}`];
    const { status, body } = await send(`[${[...odd, ...matches]}]`);
    expect(status).toBe(200);
    expect(body).toEqual([
      { token_raw: 'x', label: 'false_positive' },
      { token_raw: secret, label: 'true_positive' },
    ]);
  });

  const malformed: [string, string | Uint8Array, string][] = [
    ['no JSON', '[{', 'json_invalid'],
    ['nothing', '', 'json_invalid'],
    ['an object', '{"token":"x"}', 'list_type'],
    ['a scalar', '5', 'list_type'],
    ['too many matches', JSON.stringify(Array(1001).fill({ token: 'x' })), 'too_long'],
  ];
  it.each(malformed)('that is %s → 422', async (_what, body, type) => {
    const headers = signatureHeaders(body, scanner.keys[0]);
    const answer = await setup.gateway.rest('POST', path, { body: `${body}`, headers });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([{ loc: ['body'], type }]);
  });

  it('that is not UTF-8 → 422', async () => {
    const body = Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]);
    const request = new Request(`http://keyward.test/api/v1${path}`, {
      ...{ method: 'POST', body },
      headers: { ...signatureHeaders(body, scanner.keys[0]), 'content-length': '5' },
    });
    expect((await setup.gateway.gateway.fetch(request)).status).toBe(422);
  });

  it('that is too large → refused before anything else', async () => {
    const answer = await setup.gateway.rest('POST', path, { body: ' '.repeat(64 * 1024 + 1) });
    expect(answer.status).toBe(413);
  });

  it('by another method than POST → 405', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await setup.gateway.rest(method, path);
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });
});

describe('a signature', () => {
  /** The other signature that the same key and text have: `s` taken from the order of the curve. */
  const mirrored = (base64: string): string => {
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const der = Buffer.from(base64, 'base64');
    const rLength = der[3] ?? 0;
    const s = BigInt(`0x${der.subarray(6 + rLength).toString('hex')}`);
    const hex = (order - s).toString(16);
    const even = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
    const other = (even[0] ?? 0) > 127 ? Buffer.concat([Buffer.from([0]), even]) : even;
    const body = Buffer.concat([der.subarray(2, 4 + rLength), Buffer.from([2, other.length]), other]);
    return Buffer.concat([Buffer.from([0x30, body.length]), body]).toString('base64');
  };

  type Report = { body: string; headers: Record<string, string> };
  const stranger = createSigningKey('first');
  const wrong: [string, (report: Report) => Partial<Report>][] = [
    ['missing', () => ({ headers: {} })],
    ['without its key', ({ headers }) => ({ headers: without(headers, 'github-public-key-identifier') })],
    ['of a key without it', ({ headers }) => ({ headers: without(headers, 'github-public-key-signature') })],
    ['of a key that is not known', (report) => withHeader(report, 'identifier', 'second')],
    ['of a key of nobody', (report) => withHeader(report, 'identifier', '__proto__')],
    ['empty', (report) => withHeader(report, 'signature', '')],
    ['no base64', (report) => withHeader(report, 'signature', '!!!!')],
    ['no DER', (report) => withHeader(report, 'signature', 'AAAA')],
    ['cut off', (report) => withHeader(report, 'signature', (text) => text.slice(0, -8))],
    ['too long', (report) => withHeader(report, 'signature', (text) => text.repeat(3))],
    ['of zeros', (report) => withHeader(report, 'signature', 'MAYCAQACAQA=')],
    ["of somebody else's key", ({ body }) => ({ headers: signatureHeaders(body, stranger) })],
    [
      'of another curve',
      ({ body }) => ({ headers: signatureHeaders(body, createSigningKey('first', 'P-384')) }),
    ],
    ['of another text', ({ body }) => ({ headers: signatureHeaders(`${body} `, scanner.keys[0]) })],
    ['of all but the last byte', ({ body }) => ({ body: `${body}\n` })],
    ['of another byte', ({ body }) => ({ body: body.replace('content', 'contens') })],
  ];
  const without = (headers: Record<string, string>, name: string) =>
    Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
  const withHeader = (
    { headers }: Report,
    name: 'identifier' | 'signature',
    value: string | ((text: string) => string),
  ) => {
    const full = `github-public-key-${name}`;
    const text = typeof value === 'string' ? value : value(headers[full] ?? '');
    return { headers: { ...headers, [full]: text } };
  };

  it.each(wrong)('%s → refused with the same message, and nothing is done', async (_what, change) => {
    const { secret } = await createKey();
    const report = scanner.report([matchOf(secret)]);
    const before = await setup.stored();
    let answer: Awaited<ReturnType<typeof send>> | undefined;
    const { sql } = await recordStatements(setup.gateway.database, async () => {
      answer = await setup.gateway.rest('POST', path, { ...report, ...change(report) });
    });
    expect(answer).toMatchObject({
      status: 403,
      body: { detail: 'The report is not signed by a known key' },
    });
    expect(sql).toEqual([]);
    expect(await setup.stored()).toEqual(before);
  });

  it('is verified before the report is read', async () => {
    for (const body of ['[{', JSON.stringify(Array(5000).fill(0)), '{"a":'.repeat(5000)])
      expect((await setup.gateway.rest('POST', path, { body })).status).toBe(403);
  });

  it('in its other valid form → accepted, with the same effect', async () => {
    const { secret } = await createKey();
    const report = scanner.report([matchOf(secret)]);
    const other = withHeader(report, 'signature', mirrored);
    expect(other.headers).not.toEqual(report.headers);
    const answers = [
      await setup.gateway.rest('POST', path, { ...report, ...other }),
      await setup.gateway.rest('POST', path, report),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await written()).toHaveLength(2);
  });

  it('too many requests → refused before it is checked', async () => {
    await using gateway = await createTestGateway(setup.issuer, {
      leakReports: { act: 'end', keys },
      rates: { address: { requests: 2, seconds: 60 } },
    });
    const statuses: number[] = [];
    for (let turn = 0; turn < 3; turn += 1)
      statuses.push((await gateway.rest('POST', path, { body: '[]', address: '192.0.2.1' })).status);
    expect(statuses).toEqual([403, 403, 429]);
  });
});

describe('with leaked keys only marked', () => {
  const marking = setUpGateway({ leakReports: { act: 'mark', keys } });

  it("a key stays active, and its owner's trail shows each leaked secret once", async () => {
    const { gateway } = marking;
    const alice = await gateway.createAccount('alice');
    const { id, secret } = await gateway.createVerifiableKey(alice);
    expect(labelsOf((await send([matchOf(secret)], gateway)).body)).toEqual(['true_positive']);
    const before = await marking.stored();
    await send([matchOf(secret)], gateway);
    expect(await marking.stored()).toEqual(before);
    expect(await gateway.rows('api_key')).toMatchObject([{ id, is_active: 1 }]);
    expect(await written(gateway)).toEqual([['api-key-leaked', id, [found]]]);
    const token = await marking.sign();
    const { body } = await gateway.rest('POST', `/auth/keys/${id}/rotate`, { token, json: {} });
    await send([matchOf(secret)], gateway);
    expect(await written(gateway)).toHaveLength(1);
    await send([matchOf(body.key)], gateway);
    expect(await written(gateway)).toHaveLength(2);
  });

  it('a marked key is deactivated by the next report after the setting changes', async () => {
    const { gateway } = marking;
    const alice = await gateway.createAccount('alice');
    const { id, secret } = await gateway.createVerifiableKey(alice);
    await send([matchOf(secret)], gateway);
    const [marked] = await gateway.rows('api_key_secret');
    // As another node of the service does, which is configured otherwise.
    const context = {
      db: new Db(gateway.database.em),
      services: gateway.services,
      events: () => {},
      requestSource: { id: 'request', address: null },
    };
    await handleLeaks(context, 'end', [{ token: secret, url: null }]);
    expect(await gateway.rows('api_key')).toMatchObject([{ id, is_active: 0 }]);
    expect(await gateway.rows('api_key_secret')).toEqual([marked]);
  });
});

describe('with leaked keys paused', () => {
  const pausing = setUpGateway({ leakReports: { act: 'pause', keys } });
  const at = expect.stringMatching(/Z$/);
  const pause = { pausedAt: new Date(0), pauseReason: 'Mine' };
  const paused = [
    { field: 'paused_at', from: null, to: at },
    { field: 'paused_by', from: null, to: 'scanner' },
  ];

  const createPausable = async (values = {}, subject = 'alice') => {
    const { gateway } = pausing;
    return gateway.createVerifiableKey(await gateway.createAccount(subject), values);
  };
  const reasonOf = async (key: string) => {
    const { body } = await pausing.call('POST', '/keys/verify', { key }, { scope: 'keys.verify' });
    return body.valid ? 'valid' : body.reason;
  };
  const resume = async (id: number) => (await pausing.call('POST', `/auth/keys/${id}/resume`)).status;
  const report = (...secrets: string[]) =>
    send(
      secrets.map((secret) => matchOf(secret)),
      pausing.gateway,
    );

  it('a key is paused at once, a repetition changes nothing, and its owner can resume it', async () => {
    const { gateway } = pausing;
    const { id, secret } = await createPausable();
    expect(labelsOf((await report(secret)).body)).toEqual(['true_positive']);
    expect(await reasonOf(secret)).toBe('paused');
    const before = await pausing.stored();
    await report(secret);
    expect(await pausing.stored()).toEqual(before);
    expect(await written(gateway)).toEqual([
      ['api-key-leaked', id, [found, ...paused]],
      ['api-key-paused', id, paused],
    ]);
    expect((await pausing.call('GET', `/auth/keys/${id}`)).body).toMatchObject({
      is_active: true,
      paused_by: 'scanner',
    });
    expect(await resume(id)).toBe(200);
    expect(await reasonOf(secret)).toBe('valid');
  });

  it('a key that was resumed with the same secret is paused again', async () => {
    const { id, secret } = await createPausable();
    await report(secret);
    await resume(id);
    await report(secret);
    expect(await reasonOf(secret)).toBe('paused');
    expect(await written(pausing.gateway)).toHaveLength(4);
  });

  it('the pause of an operator stays; the owner is told once', async () => {
    const { id, secret } = await createPausable({ ...pause, pausedBy: 'operator' });
    await report(secret);
    await report(secret);
    expect(await written(pausing.gateway)).toEqual([['api-key-leaked', id, [found]]]);
    const [row] = await pausing.gateway.rows('api_key');
    expect(row).toMatchObject({ paused_by: 'operator', pause_reason: 'Mine' });
  });

  it('the pause of the owner becomes one of the scanner, since the same time', async () => {
    const { id, secret } = await createPausable({ ...pause, pausedBy: 'owner' });
    await report(secret);
    await report(secret);
    const taken = [
      { field: 'paused_by', from: 'owner', to: 'scanner' },
      { field: 'pause_reason', from: 'Mine', to: null },
    ];
    expect(await written(pausing.gateway)).toEqual([
      ['api-key-leaked', id, [found, ...taken]],
      ['api-key-paused', id, taken],
    ]);
    const { body } = await pausing.call('GET', `/auth/keys/${id}`);
    expect(body).toMatchObject({ paused_at: '1970-01-01T00:00:00.000Z', paused_by: 'scanner' });
  });

  it('a secret that a rotation replaced ends, and its key goes on', async () => {
    const { gateway } = pausing;
    const { id, secret } = await createPausable();
    const { body } = await pausing.call('POST', `/auth/keys/${id}/rotate`, { grace_seconds: 600 });
    await report(secret);
    expect(await reasonOf(secret)).toBe('rotated');
    expect(await reasonOf(body.key)).toBe('valid');
    expect(await written(gateway)).toEqual([
      ['api-key-leaked', id, [found, { field: 'previous_works_until', from: at, to: at }]],
    ]);
  });

  it('a rotation of the paused key lets the leaked secret work on, until it is reported again', async () => {
    const { id, secret } = await createPausable();
    await report(secret);
    await pausing.call('POST', `/auth/keys/${id}/rotate`, { grace_seconds: 600 });
    await report(secret);
    await resume(id);
    expect(await reasonOf(secret)).toBe('rotated');
  });

  it('an inactive or expired key is not paused', async () => {
    const { secret } = await createPausable({ isActive: false });
    const { secret: other } = await createPausable({ expiresAt: new Date(0) }, 'bob');
    await report(secret, other);
    expect(await written(pausing.gateway)).toEqual([]);
    for (const row of await pausing.gateway.rows('api_key')) expect(row).toMatchObject({ paused_at: null });
  });
});

it('a paused key that leaks is deactivated, if leaked keys are', async () => {
  const { id, secret } = await createKey({ pausedAt: new Date(0), pausedBy: 'owner', pauseReason: 'Mine' });
  await send([matchOf(secret)]);
  expect(await verify(secret)).toBe('inactive');
  expect(await written()).toEqual([
    ['api-key-leaked', id, [found, ended]],
    ['api-key-deactivated', id, [ended]],
  ]);
  expect(await setup.gateway.rows('api_key')).toMatchObject([
    { paused_at: null, paused_by: null, pause_reason: null },
  ]);
});

it('webhooks announce that a key leaked and that it was deactivated', async () => {
  await using receiver = await startReceiver();
  webhooks({ endpoints: [receiver.config()], hosts: ['127.0.0.1'] });
  await until(async () => expect(await setup.gateway.rows('webhook_endpoint')).toHaveLength(1));
  const { id, secret } = await createKey();
  await send([matchOf(secret)]);
  await until(() => expect(receiver.types()).toEqual(['api_key.leaked', 'api_key.deactivated']));
  const data = { key_id: id, by: 'scanner', reason: null, subject: 'alice', name: 'Laptop' };
  expect(receiver.taken().map(({ event }) => event)).toMatchObject([
    { data: { ...data, changes: [found, ended] } },
    { data: { ...data, changes: [ended] } },
  ]);
  expect(
    receiver
      .taken()
      .map(({ body }) => body)
      .join(),
  ).not.toContain(secret);
});

describe('without leak reports', () => {
  const closed = setUpGateway();

  it('the path → 404', async () => {
    const { gateway } = closed;
    const answer = await gateway.rest('POST', path, scanner.report([matchOf(createApiKeySecret())]));
    const other = await gateway.rest('POST', '/keys/nothing', { body: '[]' });
    expect([answer.status, answer.text]).toEqual([404, other.text]);
    const { body } = await gateway.rest('GET', '/openapi.json');
    expect(Object.keys(body.paths)).not.toContain('/api/v1/keys/leaks');
  });

  it('with them, the path is in the API description', async () => {
    const { body } = await setup.gateway.rest('GET', '/openapi.json');
    expect(Object.keys(body.paths)).toContain('/api/v1/keys/leaks');
  });
});

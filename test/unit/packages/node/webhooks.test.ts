import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifyWebhook } from '../../../../packages/node/src/webhooks.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const body =
  '{"type":"api_key.created","timestamp":"2026-01-31T12:00:00.000Z","data":{"user_id":1,"name":"Clé"}}';

/** The clock of the tests stands still. */
const now = 1_614_265_330;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The header fields of a message, signed with each of the secrets by the library of Standard Webhooks. */
const sign = (text = body, secrets = [secret], timestamp = now) => ({
  'webhook-id': id,
  'webhook-timestamp': `${timestamp}`,
  'webhook-signature': secrets
    .map((key) => new Webhook(key).sign(id, new Date(timestamp * 1000), text))
    .join(' '),
});

describe('a message', () => {
  it('of the vectors of Standard Webhooks → its content', async () => {
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    expect(await verifyWebhook(headers, '{"test": 2432232314}', secret)).toEqual({ test: 2_432_232_314 });
    expect(await verifyWebhook(headers, '{"test": 2432232314}', secret.slice(6))).toEqual({
      test: 2_432_232_314,
    });
  });

  it.each([
    ['text', body],
    ['bytes', new TextEncoder().encode(body)],
    ['a Buffer', Buffer.from(body)],
    ['an ArrayBuffer', new TextEncoder().encode(body).buffer as ArrayBuffer],
    ['a part of a Buffer', Buffer.from(`x${body}x`).subarray(1, -1)],
  ])('as %s → the event', async (_what, given) => {
    const event = await verifyWebhook(sign(), given, secret);
    expect(event).toEqual(JSON.parse(body));
    expect(event.data.user_id).toBe(1);
  });

  it.each(['v1,!!!', 'v1,', 'v1', 'v1,a', ','])('with %j before the signature → the event', async (text) => {
    const headers = sign();
    const both = { ...headers, 'webhook-signature': `${text} ${headers['webhook-signature']}` };
    expect(await verifyWebhook(both, body, secret)).toEqual(JSON.parse(body));
    await expect(verifyWebhook({ ...headers, 'webhook-signature': text }, body, secret)).rejects.toThrow();
  });

  it('with Headers of Fetch → the event', async () => {
    expect(await verifyWebhook(new Headers(sign()), body, secret)).toMatchObject({ type: 'api_key.created' });
  });

  it.each([
    ['the new and the old secret', [other, secret]],
    ['the old and the new secret', [secret, other]],
  ])('signed with %s → the event, by either', async (_what, secrets) => {
    const headers = sign(body, secrets);
    for (const known of [secret, other])
      expect(await verifyWebhook(headers, body, known)).toMatchObject({ type: 'api_key.created' });
  });

  it.each([299, 0, -299])('%i seconds old → the event', async (age) => {
    await expect(verifyWebhook(sign(body, [secret], now - age), body, secret)).resolves.toBeDefined();
  });
});

describe('refused', () => {
  it.each<[string, object, string?]>([
    ['no header field', {}],
    ['no id', { ...sign(), 'webhook-id': undefined }],
    ['another id', { ...sign(), 'webhook-id': 'msg_1' }],
    ['no timestamp', { ...sign(), 'webhook-timestamp': undefined }],
    ['another timestamp', { ...sign(), 'webhook-timestamp': '1614265331' }],
    ['a timestamp with a part of a second', { ...sign(), 'webhook-timestamp': '1614265330.0' }],
    ['a timestamp in another notation', { ...sign(), 'webhook-timestamp': '1.61426533e9' }],
    ['no signature', { ...sign(), 'webhook-signature': undefined }],
    ['an empty signature', { ...sign(), 'webhook-signature': '' }],
    [
      'a signature without a version',
      { ...sign(), 'webhook-signature': sign()['webhook-signature'].slice(3) },
    ],
    ['another version', { ...sign(), 'webhook-signature': sign()['webhook-signature'].replace('v1', 'v1a') }],
    ['another secret', sign(body, [other])],
    ['a signature of nothing', { ...sign(), 'webhook-signature': 'v1,' }],
    ['a signature that is no base64', { ...sign(), 'webhook-signature': 'v1,%%%' }],
    ['a part of the signature', { ...sign(), 'webhook-signature': sign()['webhook-signature'].slice(0, -8) }],
    ['a body with white space', sign(), `${body}\n`],
    ['another body', sign(), body.replace('1', '2')],
    ['a body that is no JSON', sign('x'), 'x'],
  ])('%s', async (_what, headers, text = body) => {
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    await expect(verifyWebhook(given, text, secret)).rejects.toThrow();
  });

  it.each([301, -301, 86_400])('%i seconds old', async (age) => {
    await expect(verifyWebhook(sign(body, [secret], now - age), body, secret)).rejects.toThrow(
      'too old or too new',
    );
  });

  it('a body that was parsed', async () => {
    await expect(verifyWebhook(sign(), JSON.parse(body), secret)).rejects.toThrow();
  });

  it.each(['', 'whsec_', 'whsec_%%%', undefined])('the secret %j', async (wrong) => {
    await expect(verifyWebhook(sign(), body, wrong as string)).rejects.toThrow();
  });

  it('many signatures → only the first are tried', async () => {
    const right = sign()['webhook-signature'];
    const wrong = sign(body, [other])['webhook-signature'];
    const with9 = { ...sign(), 'webhook-signature': [...Array(8).fill(wrong), right].join(' ') };
    const with10 = { ...sign(), 'webhook-signature': [...Array(9).fill(wrong), right].join(' ') };
    await expect(verifyWebhook(with9, body, secret)).resolves.toBeDefined();
    await expect(verifyWebhook(with10, body, secret)).rejects.toThrow('no valid signature');
  });
});

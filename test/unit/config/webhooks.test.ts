import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { isPublicAddress } from '../../../src/config/values/addresses.ts';
import { standsFor } from '../../../src/config/values/webhook-events.ts';

const secretOf = (bytes: number, fill = 7): string => `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`;
const url = 'https://hooks.example.com/keyward';
const secret = secretOf(32);
const one = { url, secret };

const webhooksOf = (endpoints: unknown, others: Record<string, string> = {}) =>
  loadConfig({ WEBHOOKS: JSON.stringify(endpoints), ...others }).webhooks;

describe('WEBHOOKS', () => {
  it('an endpoint → gets all events, unless it names some', () => {
    const two = {
      url: `${url}/2`,
      secret: [secret, secretOf(24)],
      events: ['api_key.*', 'account.blocked'],
      headers: { Authorization: 'Bearer a b', 'CF-Access-Client-Id': 'x'.repeat(1024) },
    };
    expect(webhooksOf([one, two]).endpoints).toEqual([
      { url, secrets: [secret], events: ['*'], headers: {} },
      { url: two.url, secrets: two.secret, events: two.events, headers: two.headers },
    ]);
    expect(webhooksOf([]).endpoints).toEqual([]);
  });

  it('in a file → read; in a file and in the variable → refused', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keyward-webhooks-'));
    const file = join(folder, 'webhooks.json');
    writeFileSync(file, `${JSON.stringify([one])}\n`);
    expect(loadConfig({ WEBHOOKS_FILE: file }).webhooks.endpoints).toMatchObject([{ url }]);
    expect(() => webhooksOf([one], { WEBHOOKS_FILE: file })).toThrow(
      'WEBHOOKS and WEBHOOKS_FILE must not both be set',
    );
    rmSync(folder, { recursive: true });
  });

  const wantedSecret = 'must be whsec_ and 24 to 64 bytes in base64';
  const events = '0 events must be a list of api_key.created, ';

  it.each<[string, unknown, string]>([
    ['an object', {}, 'WEBHOOKS must be a JSON list of endpoints'],
    ['a text in the list', ['x'], 'WEBHOOKS 0 must be an object'],
    ['no url', [{ secret }], 'WEBHOOKS 0 url must be a URL'],
    ['http', [{ ...one, url: 'http://hooks.example.com' }], '0 url must begin with https://'],
    ['a password', [{ ...one, url: 'https://a:b@hooks.example.com' }], '0 url must not have a user name'],
    ['a fragment', [{ ...one, url: `${url}#a` }], '0 url must not have a fragment'],
    ['a long URL', [{ ...one, url: `${url}${'a'.repeat(2000)}` }], '0 url must have at most 2000 characters'],
    ['no secret', [{ url }], `0 secret ${wantedSecret}`],
    ['another kind of secret', [{ ...one, secret: secret.slice(6) }], `0 secret ${wantedSecret}`],
    ['a secret that is no base64', [{ ...one, secret: `${secret.slice(0, -2)}!!` }], wantedSecret],
    ['a secret without padding', [{ ...one, secret: secret.replace('=', '') }], wantedSecret],
    ['a short secret', [{ ...one, secret: secretOf(23) }], wantedSecret],
    ['a long secret', [{ ...one, secret: secretOf(65) }], wantedSecret],
    ['an empty list of secrets', [{ ...one, secret: [] }], wantedSecret],
    ['three secrets', [{ ...one, secret: [secret, secret, secret] }], 'or a list of two'],
    ['no events', [{ ...one, events: [] }], events],
    ['an unknown event', [{ ...one, events: ['api_key.create'] }], events],
    ['an unknown pattern', [{ ...one, events: ['key.*'] }], events],
    ['a pattern of another form', [{ ...one, events: ['api_key.c*'] }], events],
    [
      'an unknown member',
      [{ ...one, c4n4ry: 1 }],
      '0 may only have the members url, secret, events, headers',
    ],
    ['a list of headers', [{ ...one, headers: ['a'] }], '0 headers must be an object of names and values'],
    [
      'too many headers',
      [
        {
          ...one,
          headers: Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`x-${index}`, 'a'])),
        },
      ],
      '0 headers must have at most 10 headers',
    ],
    ...[
      'Host',
      'content-type',
      'Content-Encoding',
      'webhook-id',
      'User-Agent',
      'Transfer-Encoding',
      'webhook_id',
      'Webhook_Signature',
      'content_length',
      'transfer_encoding',
      'USER_AGENT',
      'proxy_connection',
      'keep_Alive',
      'a b',
      'ä',
      '',
      '1',
      'x'.repeat(65),
    ].map((name): [string, unknown, string] => [
      `the header ${JSON.stringify(name)}`,
      [{ ...one, headers: { [name]: 'c4n4ry' } }],
      '0 headers must have names of up to 64',
    ]),
    ...['', ' a', 'a ', 'a\r\nb: c', 'a\0', 'ä', 'x'.repeat(1025), 1, null].map(
      (value): [string, unknown, string] => [
        `the value ${JSON.stringify(value)}`,
        [{ ...one, headers: { Authorization: value } }],
        '0 headers must have values of 1 to 1024',
      ],
    ),
    ...['X-A-B', 'x_a_b', 'X_A-b'].map((name): [string, unknown, string] => [
      `the header x-a-b twice, also as ${name}`,
      [{ ...one, headers: { 'x-a-b': 'a', [name]: 'b' } }],
      '0 headers must have each name once',
    ]),
    [
      'a URL twice',
      [one, { ...one, url: 'HTTPS://hooks.example.com:443/keyward' }],
      'must list each url once',
    ],
    [
      'too many',
      Array.from({ length: 33 }, (_, index) => ({ ...one, url: `${url}/${index}` })),
      'at most 32',
    ],
  ])('refuses %s', (_what, endpoints, fault) => {
    expect(() => webhooksOf(endpoints)).toThrow(fault);
  });

  it('no JSON → refused', () => {
    expect(() => loadConfig({ WEBHOOKS: '[{' })).toThrow('WEBHOOKS must be a JSON list of endpoints');
  });
});

describe('WEBHOOKS_ALLOW', () => {
  const own = [
    'http://localhost:9000/',
    'https://localhost./',
    'https://hooks.localhost:8443/',
    'http://127.0.0.1:9000/',
    'https://[::1]/',
    'https://10.1.2.3/',
    'https://[fd00::1]/',
    'https://169.254.169.254/latest',
    'https://0x7f.1/',
    'https://[::ffff:192.168.0.1]/',
    'https://168.63.129.16/machine',
    'https://kubernetes/api',
    'https://kubernetes.default.svc/api',
    'https://kubernetes.default.svc.cluster.local/api',
    'https://metadata.google.internal./',
    'https://hooks.internal/',
    'https://printer.local/',
    'https://router.home.arpa/',
  ];

  it.each(own)('must name the host of %s', (url) => {
    expect(() => webhooksOf([{ ...one, url }])).toThrow(
      'WEBHOOKS_ALLOW must list the host of each endpoint with an address or a name of this machine or a private network',
    );
    const host = new URL(url).hostname.replace(/[[\]]/g, '');
    expect(
      webhooksOf([{ ...one, url }], { WEBHOOKS_ALLOW: `other.internal, ${host.toUpperCase()}` }),
    ).toMatchObject({
      endpoints: [{ url: new URL(url).href }],
      allowedHosts: ['other.internal', host],
    });
  });

  it.each([
    ['http://127.0.0.1:9000/', '127.0.0.1:9000', '127.0.0.1:9001'],
    ['https://localhost/', 'localhost:443', 'localhost:80'],
    ['http://localhost/', 'localhost:80', 'localhost:443'],
    ['https://[::1]:8443/', '[::1]:8443', '[::1]:443'],
    ['https://[fd00::1]/', '[fd00::1]:443', '[fd00::1]:8443'],
  ])('allows %s if it names %s, and not if it names %s', (url, named, other) => {
    expect(webhooksOf([{ ...one, url }], { WEBHOOKS_ALLOW: named })).toMatchObject({ allowedHosts: [named] });
    expect(() => webhooksOf([{ ...one, url }], { WEBHOOKS_ALLOW: other })).toThrow(
      'WEBHOOKS_ALLOW must list',
    );
  });

  it.each([
    ...[
      'http://a.internal',
      'a.internal/path',
      '*',
      'a b',
      'a.internal:',
      'a.internal:0',
      'a.internal:65536',
    ],
    ...['a.internal:8:8', ':8443', '[::1', '[]:80', 'a.internal:-1'],
  ])('refuses %s', (hosts) => {
    expect(() => loadConfig({ WEBHOOKS_ALLOW: hosts })).toThrow(
      'WEBHOOKS_ALLOW must be a list of host names, each with or without a port, and without a path',
    );
  });
});

describe('an address', () => {
  it.each([
    ...['8.8.8.8', '192.0.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1', '168.63.129.15'],
    ...['168.63.129.17', '34.118.223.255', '34.118.240.0', '161.25.255.255', '166.7.255.255', '166.12.0.0'],
  ])('is public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
    ...['192.0.0.1', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
    ...['240.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1', 'fc00::1', 'fdff::1', 'fec0::1', 'ff02::1'],
    ...['::ffff:10.0.0.1', '::ffff:a00:1', '64:ff9b::a00:1', '64:ff9b:1::1', '2002:a00:1::1', '2001:db8::1'],
    ...['::7f00:1', '200::1', '3ff::1', '4000::1', '1fff::1', 'e000::1', '::2.3.4.5'],
    // What clouds tell their machines at: Azure, Alibaba, Oracle, AWS, Scaleway, Tencent, OpenStack; services of theirs.
    ...['168.63.129.16', '::ffff:168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'],
    ...['169.254.42.42', 'fd00:42::42', '169.254.0.23', 'fe80::a9fe:a9fe', 'fd20:ce::254'],
    ...['34.118.224.1', '34.118.239.255', '161.26.0.10', '166.8.0.0', '166.11.255.255'],
    ...['2001::1', '100::1', '3fff::1', '5f00::1', 'fe80::1%eth0', '', 'localhost', '1.2.3', '::g'],
  ])('is not public: %j', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

it.each<[string, string, boolean]>([
  ['*', 'api_key.created', true],
  ['api_key.*', 'api_key.created', true],
  ['api_key.*', 'account.blocked', false],
  ['api_key.created', 'api_key.created', true],
  ['api_key.created', 'api_key.updated', false],
])('the pattern %s matches %s: %s', (pattern, type, does) => {
  expect(standsFor(pattern, type)).toBe(does);
});

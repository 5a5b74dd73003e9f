import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { configSummary } from '../../../src/config/summary.ts';
import { writeServerCredential } from '../../../src/config/values/server-credentials.ts';
import { developmentServerSecret, digestOfServerSecret } from '../../../src/secrets/server-secret.ts';
import { createServer } from '../../support/servers.ts';

const checkout = createServer('checkout', 'keys.verify');
const billing = createServer('billing-2', 'accounts.entitle', 'keyward.admin');
const entry = writeServerCredential(checkout);
const other = writeServerCredential(billing);
const [name, scopes, digest = ''] = entry.split(':');

/** What is told of a faulty list. */
function faultsOf(list: string): string {
  try {
    loadConfig({ SERVER_CREDENTIALS: list });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
  }
  return 'none';
}

const read = (list: string) =>
  loadConfig({ SERVER_CREDENTIALS: list }).servers.map(({ name, scopes, digest }) => ({
    ...{ name, scopes },
    digest: digest.toString('hex'),
  }));

const hexOf = ({ digest }: typeof checkout) => digest.toString('hex');

describe('SERVER_CREDENTIALS', () => {
  it.each([
    ['commas', `${entry},${other}`],
    ['lines', `${entry}\n${other}\n`],
    ['lines of Windows', `${entry}\r\n${other}\r\n`],
    ['all of them, and more than one', `\n ${entry} , \t${other},,\n`],
  ])('is a list separated by %s', (_how, list) => {
    expect(read(list)).toEqual([
      { name: 'checkout', scopes: ['keys.verify'], digest: hexOf(checkout) },
      { name: 'billing-2', scopes: ['accounts.entitle', 'keyward.admin'], digest: hexOf(billing) },
    ]);
  });

  it.each([
    ['base64', checkout.digest.toString('base64')],
    ['base64 without padding', checkout.digest.toString('base64').replace('=', '')],
    ['base64url', checkout.digest.toString('base64url')],
  ])('has digests in %s', (_form, text) => {
    expect(read(`checkout:keys.verify:sha256-${text}`)[0]?.digest).toBe(hexOf(checkout));
  });

  it('is empty without the variable, and may name a server twice', () => {
    expect(loadConfig({}).servers).toEqual([]);
    const second = writeServerCredential(createServer('checkout', 'accounts.entitle'));
    expect(read(`${entry},${second}`).map((server) => server.name)).toEqual(['checkout', 'checkout']);
  });

  it.each([
    ['a list of nothing', ',\n,', 'must have at least one NAME:SCOPES:DIGEST'],
    ['the same line twice', `${entry},${entry}`, 'entries 1 and 2 have the same digest'],
    [
      'one digest for two names',
      `${entry},other:${scopes}:${digest}`,
      'entries 1 and 2 have the same digest',
    ],
    [
      'an unknown scope',
      `${name}:keys.verify+keys.read:${digest}`,
      'entry 1: the scopes must be one or more of keyward.admin',
    ],
    ["a person's scope", `${name}:openid:${digest}`, 'entry 1: the scopes must be'],
    ['an inherited name as a scope', `${name}:constructor:${digest}`, 'entry 1: the scopes must be'],
    ['no scope', `${name}::${digest}`, 'entry 1: the scopes must be'],
    ['a scope too few', `${name}:keys.verify+:${digest}`, 'entry 1: the scopes must be'],
    ['a name in capitals', `Checkout:${scopes}:${digest}`, 'entry 1: a name must be 1 to 40 of a-z'],
    ['a long name', `${'a'.repeat(41)}:${scopes}:${digest}`, 'entry 1: a name must be'],
    ['a name that begins with a digit', `1a:${scopes}:${digest}`, 'entry 1: a name must be'],
    ['no name', `:${scopes}:${digest}`, 'entry 1: a name must be'],
    ['no digest', `${name}:${scopes}`, 'entry 1 must be NAME:SCOPES:DIGEST'],
    ['a secret alone', checkout.secret, 'entry 1 must be NAME:SCOPES:DIGEST'],
    [
      'a secret for a digest',
      `${name}:${scopes}:${checkout.secret}`,
      'entry 1 (checkout) has a secret in place of its digest',
    ],
    [
      'a digest of no kind',
      `${name}:${scopes}:${digest.slice(7)}`,
      'entry 1 (checkout) must end with sha256-',
    ],
    [
      'another kind of digest',
      `${name}:${scopes}:${digest.replace('sha256', 'sha512')}`,
      'entry 1 (checkout) must end with sha256-',
    ],
    [
      'a short digest',
      `${name}:${scopes}:${digest.slice(0, -2)}`,
      'entry 1 (checkout) must end with sha256-',
    ],
    [
      'a digest in hexadecimal',
      `${name}:${scopes}:sha256-${hexOf(checkout)}`,
      'entry 1 (checkout) must end with sha256-',
    ],
    [
      'a secret after the name of a digest',
      `${name}:${scopes}:sha256-${checkout.secret}`,
      'entry 1 (checkout) must end with sha256-',
    ],
    [
      'the digest of the development secret',
      `${name}:${scopes}:sha256-${digestOfServerSecret(developmentServerSecret).toString('base64url')}`,
      'entry 1 (checkout) has the digest of kws_development',
    ],
    ['a fourth part', `${entry}:more`, 'entry 1 (checkout) must end with sha256-'],
  ])('is not %s', (_what, list, fault) => {
    const told = faultsOf(list);
    expect(told).toContain(`SERVER_CREDENTIALS ${fault}`);
    // No fault shows what may be a secret.
    for (const part of [checkout.secret.slice(4, 40), digest.slice(7, 40), hexOf(checkout).slice(0, 40)])
      expect(told).not.toContain(part);
  });

  it('has at most 100 entries', () => {
    const list = Array.from({ length: 101 }, () => writeServerCredential(createServer('a', 'keys.verify')));
    expect(read(list.slice(1).join(','))).toHaveLength(100);
    expect(faultsOf(list.join(','))).toContain('must have at most 100 entries');
  });

  it('is described by names and scopes', () => {
    const lines = configSummary(loadConfig({ SERVER_CREDENTIALS: `${entry},${other}` })).split('\n');
    expect(lines.slice(-2)).toEqual([
      'Server checkout: keys.verify.',
      'Server billing-2: accounts.entitle, keyward.admin.',
    ]);
  });
});

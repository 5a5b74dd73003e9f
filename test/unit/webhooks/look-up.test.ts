import { promises as dns, type LookupAddress, type LookupOptions } from 'node:dns';
import { afterEach, expect, it, vi } from 'vitest';
import { checkedLookup } from '../../../src/webhooks/sending/look-up.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const publicAddress = { address: '203.0.114.7', family: 4 };
const another = { address: '2001:4860:4860::8888', family: 6 };
const privateAddress = { address: '10.0.0.7', family: 4 };

/** A name server that answers when it is told to. */
function startNameServer() {
  const asked: { host: string; answer: (found: LookupAddress[] | Error) => void }[] = [];
  vi.spyOn(dns, 'lookup').mockImplementation(((host: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<LookupAddress[]>();
    asked.push({ host, answer: (found) => (found instanceof Error ? reject(found) : resolve(found)) });
    return promise;
  }) as never);
  return asked;
}

/** What a connection would be given. */
const lookUp = (host: string, isAllowed = false, options: LookupOptions = { all: true }) =>
  new Promise<unknown>((resolve) => {
    checkedLookup(isAllowed)(host, options as never, (error, found, family) =>
      resolve(error ? `${error.name} ${error.code ?? ''}`.trim() : family ? [found, family] : found),
    );
  });

const turns = () => new Promise(setImmediate);

it('gives a connection only addresses that are public', async () => {
  const asked = startNameServer();
  for (const [found, given] of [
    [
      [publicAddress, another],
      [publicAddress, another],
    ],
    [[privateAddress, publicAddress], [publicAddress]],
    [[publicAddress, privateAddress], [publicAddress]],
    [[privateAddress], 'RefusedAddress address refused'],
    [[], 'RefusedAddress address refused'],
  ] as const) {
    const outcome = lookUp('hooks.example.com');
    await turns();
    asked.at(-1)?.answer([...found]);
    expect(await outcome).toEqual(given);
  }
});

it('gives a connection to an allowed host all addresses', async () => {
  const asked = startNameServer();
  const outcome = lookUp('hooks.internal', true);
  await turns();
  asked[0]?.answer([privateAddress, publicAddress]);
  expect(await outcome).toEqual([privateAddress, publicAddress]);
});

it.each([
  [4, ['203.0.114.7', 4]],
  [6, ['2001:4860:4860::8888', 6]],
  ['IPv6', ['2001:4860:4860::8888', 6]],
  [0, ['203.0.114.7', 4]],
])('gives the first address of the wanted family: %s', async (family, given) => {
  const asked = startNameServer();
  const outcome = lookUp('hooks.example.com', false, { family } as LookupOptions);
  await turns();
  asked[0]?.answer([publicAddress, another]);
  expect(await outcome).toEqual(given);
});

it('the same host several times at once → one look-up; later → another', async () => {
  const asked = startNameServer();
  const outcomes = [lookUp('one.example.com'), lookUp('one.example.com'), lookUp('one.example.com')];
  await turns();
  expect(asked).toHaveLength(1);
  asked[0]?.answer([publicAddress]);
  expect(await Promise.all(outcomes)).toEqual(Array(3).fill([publicAddress]));
  void lookUp('one.example.com');
  await turns();
  expect(asked).toHaveLength(2);
  asked[1]?.answer([publicAddress]);
});

it.each([
  ['hooks.example.com', false, 'hooks.example.com.'],
  ['hooks.example.com.', false, 'hooks.example.com.'],
  ['kubernetes.default', false, 'kubernetes.default.'],
  ['hooks.internal', true, 'hooks.internal'],
])('asks for %s, allowed: %s, as %s', async (host, isAllowed, name) => {
  const asked = startNameServer();
  const outcome = lookUp(host, isAllowed);
  await turns();
  expect(asked.map((each) => each.host)).toEqual([name]);
  asked[0]?.answer([publicAddress]);
  await outcome;
});

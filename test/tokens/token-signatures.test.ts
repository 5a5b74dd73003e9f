import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { invalidSignatures, shortenedSignature } from '../support/invalid-signatures.ts';
import { openIssuers } from '../support/issuer-settings.ts';
import { algorithms, type Forge, startForge } from '../support/token-forge.ts';

let forge: Forge;
let gateway: TestGateway;

beforeAll(async () => {
  forge = await startForge();
  // Beside issuers that are as open as settings can make them: a signature counts for its own issuer alone.
  gateway = await createTestGateway(forge, { issuers: openIssuers(forge.config) });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await forge[Symbol.asyncDispose]();
});

/** The status with which a token is answered on each transport. */
const statuses = async (token: string) => {
  const answers = [
    await gateway.rest('GET', '/auth/private-key', { token }),
    await gateway.graphql('{ privateKeyStatus { hasKey } }', { token }),
  ];
  return answers.map(({ status }) => status);
};

type Kid = 'rsa' | 'p256' | 'p384' | 'p521' | 'ed25519';

const kids: Readonly<Record<string, Kid>> = {
  ES256: 'p256',
  ES384: 'p384',
  ES512: 'p521',
  EdDSA: 'ed25519',
  Ed25519: 'ed25519',
};

const curves = { p256: 'P-256', p384: 'P-384', p521: 'P-521' };

const otherKey = (kid: Kid) => {
  if (kid === 'rsa') return forge.keys.stranger.privateKey;
  if (kid === 'ed25519') return generateKeyPairSync('ed25519').privateKey;
  return generateKeyPairSync('ec', { namedCurve: curves[kid] }).privateKey;
};

it.each(['PS256', 'PS384', 'PS512'])('%s refuses a signature without its leading zero', async (algorithm) => {
  const key = forge.keys.rsa.privateKey;
  const token = forge.forge({ header: { alg: algorithm, kid: 'rsa' }, key });
  const input = token.slice(0, token.lastIndexOf('.'));
  const [full, short] = shortenedSignature({ algorithm, key, input });
  expect(await statuses(`${input}.${short}`)).toEqual([401, 401]);
  expect(await statuses(`${input}.${full}`)).toEqual([200, 200]);
});

describe.each(algorithms)('%s', (algorithm) => {
  const kid = kids[algorithm] ?? 'rsa';
  const create = () => {
    const key = forge.keys[kid].privateKey;
    const token = forge.forge({ header: { alg: algorithm, kid }, key });
    return { token, key, input: token.slice(0, token.lastIndexOf('.')) };
  };

  it('a good signature → accepted', async () => {
    expect(await statuses(create().token)).toEqual([200, 200]);
  });

  it('a bad signature → refused, before and after a good one', async () => {
    const { token, key, input } = create();
    const signatures = invalidSignatures({ algorithm, key, otherKey: otherKey(kid), input });
    const answerAll = async () => {
      const answers: [string, number[]][] = [];
      for (const [name, signature] of signatures)
        answers.push([name, await statuses(`${input}.${signature}`)]);
      return answers;
    };
    const refused = signatures.map(([name]) => [name, [401, 401]]);
    expect(refused.length).toBeGreaterThan(40);
    expect(await answerAll()).toEqual(refused);
    expect(await statuses(token)).toEqual([200, 200]);
    expect(await answerAll()).toEqual(refused);
  });
});

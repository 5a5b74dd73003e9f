import { describe, expect, it } from 'vitest';
import { beforeDatabase } from './before-database.ts';
import { challenge } from './challenge.ts';
import type { Answer, Call } from './gateway.ts';
import type { Setup } from './set-up-gateway.ts';

/** An operation, as it is called on each transport, with input that it takes. */
export interface TestedOperation {
  readonly rest: readonly [method: string, path: string];
  /** The status of its success in REST, where it is not 200. */
  readonly restStatus?: number;
  /** The body of the REST call, where there is one. */
  readonly json?: unknown;
  /** The document of the GraphQL request. */
  readonly query: string;
  /** Every scope that it requires. */
  readonly scopes: readonly string[];
  /** Puts into the database what the operation needs to succeed for alice. */
  readonly arrange?: () => Promise<unknown>;
}

type Transport = 'REST' | 'GraphQL' | 'GraphQL as application/json';

const transports: Transport[] = ['REST', 'GraphQL', 'GraphQL as application/json'];

/** The body in which a transport refuses. */
const refusal = (transport: Transport, message: string, code: string) =>
  transport === 'REST' ? { detail: message } : { errors: [{ message, extensions: { code } }] };

const noToken = challenge();
const badToken = challenge(', error="invalid_token"');

/**
 * Tests that an operation is refused with 401 and 403 on both transports, and for whom it is not. Who is asking is
 * known before a database is asked.
 */
export const describeAuthentication = (setup: Setup, operation: TestedOperation): void =>
  beforeDatabase(() => defineAuthentication(setup, operation));

function defineAuthentication(setup: Setup, operation: TestedOperation): void {
  const call = (transport: Transport, { headers, ...rest }: Call): Promise<Answer> => {
    if (transport !== 'REST') {
      const accept = transport === 'GraphQL' ? 'application/graphql-response+json' : 'application/json';
      return setup.gateway.graphql(operation.query, { ...rest, headers: { accept, ...headers } });
    }
    const json = operation.json === undefined ? {} : { json: operation.json };
    return setup.gateway.rest(...operation.rest, { ...rest, ...json, ...(headers && { headers }) });
  };

  const successOf = (transport: Transport) => (transport === 'REST' ? (operation.restStatus ?? 200) : 200);

  describe.each(transports)('401 over %s', (transport) => {
    const expectRefusal = (answer: Answer, message: string, expected: string) => {
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(refusal(transport, message, 'UNAUTHENTICATED'));
      expect(answer.headers.get('www-authenticate')).toBe(expected);
    };

    it.each([
      ['no token', undefined],
      ['another scheme', 'Basic YWxpY2U6c2VjcmV0'],
      ['a scheme that only begins alike', 'Bearers a.b.c'],
      ['no scheme', 'a.b.c'],
    ])('challenges without an error: %s', async (_name, authorization) => {
      const before = await setup.stored();
      const answer = await call(transport, { headers: authorization ? { authorization } : {} });
      expectRefusal(answer, 'Not authenticated', noToken);
      expect(await setup.stored()).toEqual(before);
    });

    it.each([
      ['not a JWT', async () => 'token'],
      ['nothing', async () => ''],
      ['not signed by the issuer', async () => `${await setup.sign()}x`],
      ['expired', () => setup.sign({ exp: Math.floor(Date.now() / 1000) - 62 })],
      ['for another audience', () => setup.sign({ aud: 'another' })],
      ['of another issuer', () => setup.sign({ iss: 'https://id.example.com' })],
      ['without a subject', () => setup.sign({ sub: undefined } as never)],
    ])('says the same of every token that will not do: %s', async (_name, token) => {
      await operation.arrange?.();
      const before = await setup.stored();
      const answer = await call(transport, { headers: { authorization: `Bearer ${await token()}` } });
      expectRefusal(answer, 'Could not validate credentials', badToken);
      expect(await setup.stored()).toEqual(before);
    });

    it.each(['bearer', 'BEARER', 'BeArEr'])('does not mind how the scheme is written: %s', async (scheme) => {
      await operation.arrange?.();
      const answer = await call(transport, {
        headers: {
          authorization: `${scheme} ${await setup.sign({ scope: operation.scopes.join(' ') })}`,
        },
      });
      expect(answer.status).toBe(successOf(transport));
      expect(answer.body.errors).toBeUndefined();
    });
  });

  describe.each(transports)('a token by Ed25519 over %s', (transport) => {
    it.each([
      ['is taken', 'ed25519', true],
      ['is taken without `kid`: it is the only key of its algorithm', undefined, true],
      ['is refused under the name of another key', 'test-1', false],
    ] as const)('%s', async (_name, kid, isGood) => {
      await operation.arrange?.();
      const token = await setup.signByEd25519({ scope: operation.scopes.join(' ') }, { kid });
      const answer = await call(transport, { token });
      expect(answer.status).toBe(isGood ? successOf(transport) : 401);
      expect(answer.body.errors === undefined && isGood).toBe(isGood);
    });
  });

  describe.each(transports)('403 over %s', (transport) => {
    const { scopes } = operation;
    const expected = challenge(`, error="insufficient_scope", scope="${scopes.join(' ')}"`);
    const without = (missing: string) => scopes.filter((scope) => scope !== missing);

    const expectRefusal = (answer: Answer, missing: string) => {
      expect(answer.status).toBe(403);
      const message = `The access token lacks the scope: ${missing}`;
      expect(answer.body).toEqual(refusal(transport, message, 'FORBIDDEN'));
      expect(answer.headers.get('www-authenticate')).toBe(expected);
    };

    it.each(
      scopes.flatMap((missing) => [
        [missing, 'scope, a string', { scope: without(missing).join(' ') }],
        [missing, 'scp, a string', { scope: undefined, scp: without(missing).join(' ') }],
        [missing, 'scp, an array', { scope: undefined, scp: without(missing) }],
      ]),
    )('names the one that is missing: %s (in %s)', async (missing, _claim, claims) => {
      await operation.arrange?.();
      const before = await setup.stored();
      const token = await setup.sign(claims as never);
      expectRefusal(await call(transport, { token }), missing as string);
      expect(await setup.stored()).toEqual(before);
    });

    const [one = ''] = scopes;
    const alike = [one.slice(0, -2), `${one}2`, one.toUpperCase(), `${one},`];
    it.each(alike)(`does not take %s for ${one}`, async (scope) => {
      const token = await setup.sign({ scope: [scope, ...without(one)].join(' ') });
      expectRefusal(await call(transport, { token }), one);
    });

    it.each([{ scope: '' }, { scope: undefined }, { scope: undefined, scp: [] }])(
      'names all that are missing: %o',
      async (claims) => {
        const token = await setup.sign(claims as never);
        expectRefusal(await call(transport, { token }), scopes.join(' '));
      },
    );

    it.each([
      ['scope, a string', { scope: scopes.join(' ') }],
      ['scope, in another order and with more', { scope: ['offline', ...scopes.toReversed()].join(' ') }],
      ['scp, a string', { scope: undefined, scp: scopes.join(' ') }],
      ['scp, an array', { scope: undefined, scp: scopes }],
    ])('is not answered to whoever has them all: %s', async (_name, claims) => {
      await operation.arrange?.();
      const answer = await call(transport, { token: await setup.sign(claims as never) });
      expect(answer.status).toBe(successOf(transport));
      expect(answer.body.errors).toBeUndefined();
    });
  });
}

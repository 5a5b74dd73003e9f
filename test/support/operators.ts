import { expect } from 'vitest';
import type { AccountId } from '../../src/database/tables.ts';
import type { Answer } from './gateway.ts';
import type { TokenClaims } from './issuer.ts';
import type { Setup } from './set-up-gateway.ts';
import {
  callGraphql,
  callRest,
  graphqlOutcome,
  type OperationName,
  pathArgument,
  restOutcome,
  type SideOutcome,
} from './two-sides.ts';

/** What everybody of these tests is: bob has everything, carol has an account alone. */
export interface People {
  readonly bob: { readonly id: AccountId; readonly keyId: number; readonly secret: string };
  readonly carol: { readonly id: AccountId };
}

/** Puts in people, and what they have. The operator is olivia, who has no account yet. */
export async function createPeople({ gateway }: Setup): Promise<People> {
  const bob = await gateway.createAccount('bob');
  const { id: keyId, secret } = await gateway.createVerifiableKey(bob, { isDefault: true });
  await gateway.createApiKey(bob, { isActive: false, name: null });
  await gateway.createPrivateKey(bob);
  const carol = await gateway.createAccount('carol');
  return { bob: { id: bob, keyId, secret }, carol: { id: carol } };
}

/** What came of a call, in GraphQL's names. */
interface Outcome extends SideOutcome {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly data?: any;
}

/** Calls an operation: with the claims of a token (by default an operator's), with a text as the token, or with none. */
export type CallOperation = (
  operation: OperationName,
  input?: Readonly<Record<string, unknown>>,
  caller?: TokenClaims | string | null,
) => Promise<Outcome>;

const transports = {
  REST: [callRest, restOutcome],
  GraphQL: [callGraphql, graphqlOutcome],
} as const;

const tokenOf = async (setup: Setup, caller: TokenClaims | string | null) =>
  caller === null || typeof caller === 'string' ? (caller ?? undefined) : setup.sign(caller);

/** How operations are called over each transport. */
export const sidesOf = (setup: Setup): [name: string, call: CallOperation][] =>
  Object.entries(transports).map(([name, [send, outcomeOf]]) => [
    name,
    async (operation, given = {}, caller = { sub: 'olivia', scope: 'keyward.admin' }) => {
      const input = Object.fromEntries(
        Object.entries(given).map(([member, value]) => [member, JSON.stringify(value)]),
      );
      const inPath = given[pathArgument(operation) ?? ''];
      const step = {
        operation,
        input,
        comparesWords: true,
        ...(inPath !== undefined && { pathText: `${inPath}` }),
      };
      const answer: Answer = await send(setup.gateway, step, await tokenOf(setup, caller));
      return { status: answer.status, ...outcomeOf(answer, step) };
    },
  ]);

/** How operations are called over REST, with names and values as GraphQL has them. */
export function callerOf(setup: Setup): CallOperation {
  const [[, call]] = sidesOf(setup) as [[string, CallOperation]];
  return call;
}

/** What a provider's server learns of a secret. */
export async function verify(setup: Setup, key: string): Promise<{ valid: boolean; reason: string | null }> {
  const token = await setup.sign({ sub: 'server', scope: 'keys.verify' });
  const { status, body } = await setup.gateway.rest('POST', '/keys/verify', { token, json: { key } });
  expect(status).toBe(200);
  return body;
}

/** The trail of an account, newest first, as it is stored. */
export const trailOf = async ({ gateway }: Setup, account: number) =>
  (await gateway.rows('audit_event')).filter((row) => row['account_id'] === account).reverse();

/** The id of the operator's own account, which the first change has made. */
export const operatorOf = async ({ gateway }: Setup): Promise<number> =>
  (await gateway.rows('account')).find(({ subject }) => subject === 'olivia')?.['id'] as number;

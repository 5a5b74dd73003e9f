import { GatewayError } from '../../errors.ts';
import type { Exchange, Handler, Quota, RequestHeaders } from '../exchange.ts';
import type { KeyGuesses } from '../rate-limits/key-guesses.ts';
import {
  type RateUse,
  rateFields,
  secondsUntil,
  secondsUntilReset,
  tooManyRequests,
} from '../rate-limits/limiter.ts';
import { readApiKey, refusalOf } from './api-key.ts';

/** What the proxy asks for is no list of permissions: a fault of the operator's, and nobody passes. */
const malformedRequirement = () =>
  new GatewayError('FORBIDDEN', 'The proxy asks for what is no permission', {
    reason: 'malformed-requirement',
  });

/** Where proxies ask. Envoy appends the path that it was asked for. */
export const authorizePath = '/api/v1/keys/authorize';

/** What a proxy asks about a request. */
export interface DoorQuestion {
  /** The API key as the client sent it. */
  readonly secret: string;
  /** The permissions that the request needs, all of them. */
  readonly permissions: readonly string[];
}

/** What is left of a key's quota. */
interface QuotaLeft {
  readonly limit: number;
  readonly remaining: number;
  /** When it is full again; null: never. */
  readonly refillsAt: Date | null;
}

/** What is asked of a verification: whose key it is, or why it lets nobody in, and what is left of its own limits. */
interface Verification {
  readonly reason: string | null;
  readonly keyId: number | undefined;
  readonly userId: number | undefined;
  readonly rate: Omit<RateUse, 'isRefused'> | null;
  readonly quota: QuotaLeft | null;
}

/** When to come back for a quota that is never full again, in seconds: somebody may have given the key another. */
const anHour = 3600;

/** How a good API key is refused that was used too much. */
const exhausted: Readonly<Record<string, (verification: Verification) => GatewayError>> = {
  rate_limited: ({ rate }) => tooManyRequests('rate-limit-key', rate ? secondsUntilReset(rate) : anHour),
  quota_exceeded: ({ quota }) =>
    tooManyRequests('quota-exceeded', quota?.refillsAt ? secondsUntil(quota.refillsAt) : anHour),
};

const quotaFields = ({ limit, remaining, refillsAt }: QuotaLeft): Quota => ({
  policy: `"quota";q=${limit}`,
  state: `"quota";r=${remaining}${refillsAt ? `;t=${secondsUntil(refillsAt)}` : ''}`,
});

/** Notes for the answer what is left of a key's own limits. */
function noteLimits({ quotas }: Exchange, { rate, quota }: Verification): void {
  if (rate) quotas.set('key', rateFields('key', rate));
  if (quota) quotas.set('quota', quotaFields(quota));
}

const refusal = (verification: Verification, { permissions }: DoorQuestion, reason: string): GatewayError =>
  exhausted[reason]?.(verification) ?? refusalOf(reason, permissions);

/** The most permissions that are asked for at once, and the most characters of all of them: the answer repeats them. */
const mostPermissions = 50;
const mostCharacters = 1000;

/**
 * Answers a proxy that asks whether to let a request pass (nginx calls it `auth_request`, Traefik ForwardAuth, Envoy
 * `ext_authz`): by the API key that it carries, whatever its method and body, and by the permissions that the proxy
 * names in `X-Keyward-Require`. 200 tells whose key it is in `X-Keyward-User` and `X-Keyward-Key`, and in
 * `X-Keyward-Permissions` which permissions were asked for, so that an application sees whether the proxy has applied the
 * rule that it expects; anything else means no.
 * @param verify verifies the secret of an API key
 * @param isPermission whether a text is the name of a permission
 * @param guesses bounds how many keys an address may try; undefined: nothing does
 */
export const authorize =
  (
    verify: (question: DoorQuestion, exchange: Exchange) => Promise<Verification>,
    isPermission: (text: string) => boolean,
    guesses?: KeyGuesses,
  ): Handler =>
  async (exchange) => {
    exchange.record.route = authorizePath;
    const { headers } = exchange;
    const question = { secret: readApiKey(headers), permissions: readRequirement(headers, isPermission) };
    guesses?.admit(question.secret, exchange);
    const verification = await verify(question, exchange);
    const { reason } = verification;
    const failure = reason === null ? undefined : refusal(verification, question, reason);
    guesses?.note(question.secret, exchange, failure?.code !== 'UNAUTHENTICATED');
    if (reason === null || exhausted[reason]) noteLimits(exchange, verification);
    if (failure) throw failure;
    return { status: 200, headers: identityOf(verification, question), body: '' };
  };

/** What a proxy hands on to its application. All three are always there, so that they replace what a client sent. */
const identityOf = ({ userId, keyId }: Verification, { permissions }: DoorQuestion) => ({
  'x-keyward-user': `${userId}`,
  'x-keyward-key': `${keyId}`,
  'x-keyward-permissions': permissions.join(' '),
});

/**
 * The permissions that the proxy names, between spaces or commas. A header that names none is no requirement that is
 * left out, but one that got lost.
 * @throws {GatewayError} `FORBIDDEN` for what is no list of permissions
 */
function readRequirement(
  headers: RequestHeaders,
  isPermission: (text: string) => boolean,
): readonly string[] {
  const text = headers['x-keyward-require'];
  if (text === undefined) return [];
  const names = text.split(/[ ,]+/).filter((name) => name !== '');
  const isShort = names.length <= mostPermissions && text.length <= mostCharacters;
  const isList = names.length > 0 && isShort;
  if (isList && names.every(isPermission)) return names;
  throw malformedRequirement();
}

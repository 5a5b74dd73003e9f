import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type Answer, createTestGateway, type TestGateway } from './gateway.ts';
import { startIssuer, type TestIssuer, type TokenClaims } from './issuer.ts';

/** What the tests of a file work with. */
export interface Setup {
  readonly issuer: TestIssuer;
  /** The gateway of the test that runs, on an empty database. */
  readonly gateway: TestGateway;
  /** An access token with all scopes, alice's unless told otherwise. */
  sign(claims?: TokenClaims): Promise<string>;
  /** The same, signed by a key on Ed25519 and naming any key or none. */
  signByEd25519: TestIssuer['signByEd25519'];
  /**
   * Calls a route of REST as alice, or as whom the claims say.
   * @param path below `/api/v1`
   * @param json the body
   */
  call(method: string, path: string, json?: unknown, claims?: TokenClaims): Promise<Answer>;
  /** Every row that is stored, by table. */
  stored(): Promise<Record<string, Record<string, unknown>[]>>;
}

const tables = [
  'account',
  'api_key',
  'api_key_secret',
  'api_key_quota',
  'account_quota',
  'private_key',
  'automation_settings',
  'audit_event',
  'idempotency_record',
];

/** Gives a file's tests one issuer, and each of them a gateway that is as new. */
export function setUpGateway(options: Parameters<typeof createTestGateway>[1] = {}): Setup {
  let issuer: TestIssuer;
  let gateway: TestGateway | undefined;
  beforeAll(async () => {
    issuer = await startIssuer();
  });
  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
    await issuer[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    if (gateway) return;
    gateway = await createTestGateway(issuer, options);
    // As the service does before it is ready.
    await gateway.verificationKeys.refresh();
  });
  afterEach(async () => {
    if (await gateway?.reset()) return;
    await gateway?.[Symbol.asyncDispose]();
    gateway = undefined;
  });

  const running = (): TestGateway => {
    if (!gateway) throw new Error('there is a gateway only while a test runs');
    return gateway;
  };

  return {
    get issuer() {
      return issuer;
    },
    get gateway() {
      return running();
    },
    sign: (claims) => issuer.sign(claims),
    signByEd25519: (...token) => issuer.signByEd25519(...token),
    call: async (method, path, json, claims) =>
      running().rest(method, path, {
        token: await issuer.sign(claims),
        ...(json !== undefined && { json }),
      }),
    stored: async () => {
      const rows = await Promise.all(tables.map((table) => running().rows(table)));
      return Object.fromEntries(tables.map((table, index) => [table, rows[index] ?? []]));
    },
  };
}

/** The issues of an answer with 422: the name of each input, and what is wrong with it. */
export const issuesOf = ({ body }: Answer): [name: string, type: string][] =>
  body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc.at(-1), type]);

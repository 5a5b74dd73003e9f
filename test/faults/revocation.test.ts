import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { Connection } from '../bench/connection.ts';
import { rawRequest } from '../bench/http.ts';
import { createOnServer } from '../support/database.ts';
import { startIssuer } from '../support/issuer.ts';
import { report, rounds } from '../support/ledger.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess, unlimited } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';
import { runTransfer } from '../support/transfer-commands.ts';

/** Connections that verify a key without a pause. */
const connections = 16;

const plans = {
  default: 'reader',
  plans: { reader: { permissions: ['documents.*'] }, guest: { permissions: ['pages.read'] } },
};

/** The only permission of the keys, which each verification requires. */
const permission = 'documents.read';

/** A verification of an API key: when it was begun, and what was answered. */
interface Verification {
  readonly begunAt: number;
  readonly status: number;
}

/** Clients at the door for proxies: each has a connection to one of the nodes. */
class Verifiers implements Disposable {
  readonly #open: readonly { connection: Connection; host: string }[];

  private constructor(open: readonly { connection: Connection; host: string }[]) {
    this.#open = open;
  }

  static async connect(nodes: readonly ServiceProcess[]): Promise<Verifiers> {
    const open = Array.from({ length: connections }, async (_, index) => {
      const { port } = nodes[index % nodes.length] as ServiceProcess;
      return { connection: await Connection.open(port), host: `127.0.0.1:${port}` };
    });
    return new Verifiers(await Promise.all(open));
  }

  /** All verify a secret, again and again. */
  verify(secret: string) {
    const verifications: Verification[] = [];
    const headers = { 'x-api-key': secret, 'x-keyward-require': permission };
    let last = Number.POSITIVE_INFINITY;
    const loops = this.#open.map(async ({ connection, host }) => {
      const request = rawRequest({ method: 'GET', path: '/api/v1/keys/authorize', headers }, host);
      for (let begunAt = 0; begunAt <= last; ) {
        begunAt = performance.now();
        const status = await new Promise<number>((resolve) => connection.send(request, resolve));
        verifications.push({ begunAt, status });
      }
    });
    return {
      verifications,
      /** Each of them begins one more after this moment, and stops after that. */
      stop: async (): Promise<void> => {
        last = performance.now();
        await Promise.all(loops);
      },
    };
  }

  [Symbol.dispose](): void {
    for (const { connection } of this.#open) connection.close();
  }
}

/** A service with its nodes on one database, and what a test calls of it. */
async function createService(database: 'SQLite' | 'PostgreSQL', opened: AsyncDisposableStack) {
  const folder = opened.use(await createTemporaryFolder());
  const issuer = opened.use(await startIssuer());
  const plansFile = join(folder.path, 'plans.json');
  await writeFile(plansFile, JSON.stringify(plans));
  const env = {
    ...unlimited,
    ...secretVariables(),
    NODE_ENV: 'production',
    ADMIN: 'on',
    DATABASE_MIGRATE: 'auto',
    API_KEYS_PER_ACCOUNT: '10000',
    AUTH_ISSUER: issuer.config.issuer,
    AUTH_AUDIENCE: 'keyward',
    DATABASE_URL:
      database === 'SQLite'
        ? `sqlite:${join(folder.path, 'keyward.db')}`
        : await createOnServer(inject('postgresUrl') ?? ''),
    LOG_LEVEL: 'error',
    PLANS_FILE: plansFile,
  };
  const nodes: ServiceProcess[] = [];
  for (let count = database === 'SQLite' ? 1 : 2; count > 0; count -= 1)
    nodes.push(opened.use(await startProcess(folder.path, env)));
  const exp = Math.floor(Date.now() / 1000) + 86_400;
  const operator = await issuer.sign({ sub: 'ops', scope: 'openid keyward.admin', exp });
  const [{ url }] = nodes as [ServiceProcess];
  const call = async (token: string, method: string, path: string, json?: object) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: json === undefined ? null : JSON.stringify(json),
    });
    expect(answer.status, `${method} ${path}`).toBeOneOf([200, 201]);
    return (await answer.json()) as { id: number; user_id: number; key: string; key_prefix: string };
  };
  return {
    nodes,
    sign: (sub: string) => issuer.sign({ sub, exp }),
    call,
    administer: (method: string, path: string, json?: object) =>
      call(operator, method, `/admin${path}`, json),
    /** Ends a key by `keys:end`: another process on the same database. */
    endBeside: async (keyId: number) => {
      const ended = await runTransfer('end', ['-'], { cwd: folder.path, env, lines: [`${keyId}\n`] });
      expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('deactivated: 1') });
    },
  };
}

type Service = Awaited<ReturnType<typeof createService>>;

/** An API key and its owner. */
interface Key {
  readonly id: number;
  readonly prefix: string;
  readonly account: number;
  readonly token: string;
}

const reason = 'Rehearsal';

/** A way to take a key's rights away. */
interface Revocation {
  /** What comes first, while the key is still good. */
  readonly before?: (service: Service, key: Key) => Promise<unknown>;
  readonly revoke: (service: Service, key: Key) => Promise<unknown>;
}

const revocations: Record<string, Revocation> = {
  'deactivate the key': {
    revoke: ({ call }, { id, token }) => call(token, 'DELETE', `/auth/keys/${id}`),
  },
  'end a previous secret': {
    before: ({ call }, { id, token }) =>
      call(token, 'POST', `/auth/keys/${id}/rotate`, { grace_seconds: 600 }),
    revoke: ({ call }, { id, prefix, token }) => call(token, 'DELETE', `/auth/keys/${id}/secrets/${prefix}`),
  },
  'rotate without a grace': {
    revoke: ({ call }, { id, token }) => call(token, 'POST', `/auth/keys/${id}/rotate`, { grace_seconds: 0 }),
  },
  'narrow the permissions': {
    revoke: ({ call }, { id, token }) =>
      call(token, 'PATCH', `/auth/keys/${id}`, { permissions: ['documents.list'] }),
  },
  'lower the plan': {
    revoke: ({ administer }, { account }) =>
      administer('PUT', `/accounts/${account}/entitlement`, { plan: 'guest', reason }),
  },
  'block the account': {
    revoke: ({ administer }, { account }) => administer('POST', `/accounts/${account}/block`, { reason }),
  },
  'erase the account': {
    revoke: ({ administer }, { account }) => administer('DELETE', `/accounts/${account}`),
  },
  'end the key by another process': {
    revoke: ({ endBeside }, { id }) => endBeside(id),
  },
};

describe.each(['SQLite', 'PostgreSQL'] as const)(
  'while 16 connections verify a key without a pause, on %s',
  (database) => {
    it.each(Object.entries(revocations))(
      '%s → each verification that starts after the acknowledgement is refused',
      async (name, { before, revoke }) => {
        await using opened = new AsyncDisposableStack();
        const service = await createService(database, opened);
        using verifiers = await Verifiers.connect(service.nodes);
        const sum = { before: 0, after: 0 };
        const count = rounds(100, 10);
        for (let round = 0; round < count; round += 1) {
          // An owner has only so many keys, and one that is erased does not come back.
          const token = await service.sign(`owner-${round}`);
          const {
            id,
            key,
            key_prefix: prefix,
          } = await service.call(token, 'POST', '/auth/keys', {
            permissions: [permission],
          });
          const { user_id: account } = await service.call(token, 'GET', '/automation/settings');
          const own = { id, prefix, account, token };
          await before?.(service, own);
          const { verifications, stop } = verifiers.verify(key);
          while (verifications.length < 2 * connections) await endOfTurn();
          await revoke(service, own);
          const acknowledgedAt = performance.now();
          await stop();
          const early = verifications.filter(({ begunAt }) => begunAt < acknowledgedAt);
          const late = verifications.filter(({ begunAt }) => begunAt >= acknowledgedAt);
          expect(early.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2 * connections);
          expect(late.length).toBeGreaterThanOrEqual(connections);
          expect(late.filter(({ status }) => status !== 401 && status !== 403)).toEqual([]);
          sum.before += early.length;
          sum.after += late.length;
        }
        report(`${name}, raced by verifications on ${database}`, {
          rounds: count,
          ...sum,
          'accepted after': 0,
        });
      },
    );
  },
);

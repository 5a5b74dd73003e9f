import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { createOnServer, databaseConfig } from '../support/database.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { report, rounds } from '../support/ledger.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess, unlimited } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

/** A machine that does other things as well makes one of many starts slow. */
const patience = 30_000;

const writers = 20;

interface Read {
  readonly ids: readonly number[];
  readonly cursor: string | null;
}

/** All events after a cursor, one on a line; undefined: the answer was broken off. */
async function readLines(url: string, token: string, cursor: string | null): Promise<Read | undefined> {
  const query = cursor === null ? '' : `?cursor=${cursor}`;
  const headers = { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' };
  const response = await fetch(`${url}/api/v1/admin/audit-events${query}`, { headers });
  const text = await response.text();
  if (response.status === 503) return undefined;
  expect([response.status, text]).toEqual([200, expect.anything()]);
  const lines = text.split('\n');
  if (lines.pop() !== '') return undefined;
  const values = lines.map((line) => JSON.parse(line));
  const last = values.pop();
  if (last === undefined || !('cursor' in last)) return undefined;
  return { ids: values.map(({ id }) => id), cursor: last.cursor };
}

const pageQuery =
  'query ($after: String) { auditTrail(order: OLDEST, first: 40, after: $after) { edges { node { id } } pageInfo { endCursor } } }';

/** A page of the events after a cursor. */
async function readPage(url: string, token: string, after: string | null): Promise<Read | undefined> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ query: pageQuery, variables: { after } });
  const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
  if (response.status === 503) return undefined;
  const { data, errors } = await response.json();
  expect(errors).toBeUndefined();
  const { edges, pageInfo } = data.auditTrail;
  return { ids: edges.map(({ node }: { node: { id: number } }) => node.id), cursor: pageInfo.endCursor };
}

/** Whoever reads the trail on from where they were, at whatever nodes there are, in either way. */
class Reader {
  readonly ids: number[] = [];
  cursor: string | null = null;
  brokenOff = 0;
  reads = 0;

  async read(url: string, token: string): Promise<void> {
    const how = randomInt(2) === 0 ? readLines : readPage;
    const read = await how(url, token, this.cursor).catch((error) => {
      if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
      throw error;
    });
    if (!read) {
      this.brokenOff += 1;
      return;
    }
    this.reads += 1;
    this.ids.push(...read.ids);
    this.cursor = read.cursor;
  }
}

/** Lets people change their settings without pause, each at one of the nodes, until it is stopped. */
function startWriting(nodes: readonly ServiceProcess[], tokens: readonly string[]) {
  let isRunning = true;
  let acknowledged = 0;
  const unexpected = new Set<number>();
  const write = async (token: string, index: number) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    for (let turn = 0; isRunning; turn += 1) {
      const url = nodes[(turn + index) % nodes.length]?.url;
      const body = JSON.stringify({ session_duration: 60 + ((turn * 7 + randomInt(7)) % 5000) });
      const status = await fetch(`${url}/api/v1/automation/settings`, { method: 'PUT', headers, body })
        .then(async (response) => {
          await response.text();
          return response.status;
        })
        .catch(() => 0);
      if (status === 200) acknowledged += 1;
      else if (status !== 0 && status !== 503) unexpected.add(status);
      if (status !== 200) await delay(10);
    }
  };
  const done = Promise.all(tokens.map(write));
  return {
    acknowledged: () => acknowledged,
    unexpected,
    stop: async () => {
      isRunning = false;
      await done;
    },
  };
}

const signAll = (issuer: TestIssuer) =>
  Promise.all(Array.from({ length: writers }, (_, index) => issuer.sign({ sub: `writer-${index}` })));

it.each([
  ['SQLite', 1],
  ['PostgreSQL', 2],
] as const)(
  'a reader gets each committed event exactly once, however often nodes are killed: %s, nodes: %i',
  async (sort, size) => {
    const count = rounds(50, 6);
    await using opened = new AsyncDisposableStack();
    const folder = opened.use(await createTemporaryFolder());
    const issuer = opened.use(await startIssuer());
    const url =
      sort === 'SQLite'
        ? `sqlite:${join(folder.path, 'keyward.db')}`
        : await createOnServer(inject('postgresUrl') ?? '');
    const env = {
      NODE_ENV: 'production',
      ...secretVariables(),
      AUTH_ISSUER: issuer.config.issuer,
      AUTH_AUDIENCE: 'keyward',
      DATABASE_URL: url,
      DATABASE_MIGRATE: 'auto',
      DATABASE_POOL_SIZE: '10',
      ADMIN: 'on',
      LOG_LEVEL: 'error',
      ...unlimited,
    };
    const start = async () => opened.use(await startProcess(folder.path, env, patience));
    const nodes: ServiceProcess[] = [];
    for (let node = 0; node < size; node += 1) nodes.push(await start());

    const writing = startWriting(nodes, await signAll(issuer));
    const token = await issuer.sign({ sub: 'auditor', scope: 'keyward.audit' });
    const reader = new Reader();
    let isOver = false;
    const reading = (async () => {
      while (!isOver) {
        await reader.read(nodes[randomInt(size)]?.url ?? '', token);
        await delay(randomInt(20));
      }
    })();
    for (let kills = 0; kills < count; kills += 1) {
      const enough = writing.acknowledged() + randomInt(20, 400);
      while (writing.acknowledged() < enough) await delay(5);
      const victim = kills % size;
      nodes[victim]?.signal('SIGKILL');
      await nodes[victim]?.ended;
      nodes[victim] = await start();
    }
    await writing.stop();
    isOver = true;
    await reading;
    for (let more = 0; more < 200; more += 1) await reader.read(nodes[0]?.url ?? '', token);

    for (const node of nodes) {
      node.signal('SIGTERM');
      expect((await node.ended).code).toBe(0);
    }
    await using database = await openDatabase({ ...databaseConfig(url), poolSize: 1 });
    const rows = await database.em.getConnection().execute('select id from audit_event order by id');
    const reached = Number(Buffer.from(reader.cursor ?? '', 'base64url').toString());
    const committed = rows.map(({ id }) => Number(id));
    report(`the trail and kill -9 on ${sort}`, {
      rounds: count,
      acknowledged: writing.acknowledged(),
      events: committed.length,
      read: reader.ids.length,
      reads: reader.reads,
      'broken off': reader.brokenOff,
    });
    expect(reader.ids).toEqual(committed.filter((id) => id <= reached));
    // Beyond are only events of reading itself.
    expect(committed.filter((id) => id > reached).length).toBeLessThan(3);
    expect(committed.length).toBeGreaterThan(writing.acknowledged());
    expect([...writing.unexpected]).toEqual([]);
  },
  1_800_000,
);

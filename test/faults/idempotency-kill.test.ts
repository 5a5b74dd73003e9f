import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { createOnServer } from '../support/database.ts';
import { report, rounds } from '../support/ledger.ts';
import { createTemporaryFolder, freePort, startProcess, unlimited } from '../support/process.ts';

/** A machine that does other things as well makes one of hundreds of starts slow. */
const patience = 30_000;

const people = 8;

/** Somebody who makes API keys, and what they know of it. */
interface Maker {
  readonly subject: string;
  token: string;
  /** The answers that have come, by Idempotency-Key. */
  readonly answers: Map<string, string[]>;
}

/** Asks for an API key, and notes the answer; undefined where none came. */
async function create(url: string, { token, answers }: Maker, key: string): Promise<Response | undefined> {
  const known = answers.get(key) ?? [];
  answers.set(key, known);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  try {
    const response = await fetch(`${url}/api/v1/auth/keys`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: key }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await response.text();
    if (response.status === 201) known.push(text);
    return response;
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') throw error;
    return undefined;
  }
}

/**
 * Repeats every request, and compares what somebody knows with what is there.
 * @returns how many changes were made whose answer was lost
 */
async function settle(url: string, maker: Maker): Promise<number> {
  let lost = 0;
  for (const [key, known] of maker.answers) {
    const isUnknown = known.length === 0;
    const answer = await create(url, maker, key);
    expect(answer?.status).toBe(201);
    const isReplayed = answer?.headers.get('idempotent-replayed') === 'true';
    if (isUnknown && isReplayed) lost += 1;
    expect(isReplayed || isUnknown).toBe(true);
    expect(new Set(known).size).toBe(1);
  }
  const headers = { authorization: `Bearer ${maker.token}` };
  const list = await fetch(`${url}/api/v1/auth/keys?limit=100`, { headers });
  const names = ((await list.json()) as { name: string }[]).map(({ name }) => name);
  expect(names.sort()).toEqual([...maker.answers.keys()].sort());
  return lost;
}

type Service = Awaited<ReturnType<typeof startProcess>>;

/** Lets people make API keys without pause, and kills the service in the midst of it. */
async function killUnderLoad(service: Service): Promise<Maker[]> {
  const signUp = async (): Promise<Maker> => {
    const subject = randomUUID();
    return { subject, token: await service.token(subject), answers: new Map() };
  };
  const makers = await Promise.all(Array.from({ length: people }, signUp));
  let isRunning = true;
  const load = makers.map(async (maker) => {
    while (isRunning && maker.answers.size < 90) await create(service.url, maker, randomUUID());
  });
  const asked = () => makers.reduce((sum, { answers }) => sum + answers.size, 0);
  const enough = randomInt(1, people * 12);
  while (asked() < enough) await delay(1);
  service.signal('SIGKILL');
  isRunning = false;
  await Promise.all([...load, service.ended]);
  return makers;
}

it.each([
  ['SQLite', async () => ({})],
  [
    'PostgreSQL',
    async () => ({
      DATABASE_URL: await createOnServer(inject('postgresUrl') ?? ''),
      DATABASE_MIGRATE: 'auto',
    }),
  ],
])(
  'loses no answer when it is killed, and makes no API key twice: on %s',
  async (database, variables) => {
    const count = rounds(100, 5);
    await using folder = await createTemporaryFolder();
    const env = { PORT: `${await freePort()}`, LOG_LEVEL: 'error', ...unlimited, ...(await variables()) };
    await using services = new AsyncDisposableStack();
    let service = services.use(await startProcess(folder.path, env, patience));
    let asked = 0;
    let lost = 0;
    for (let round = 0; round < count; round += 1) {
      const makers = await killUnderLoad(service);
      asked += makers.reduce((sum, { answers }) => sum + answers.size, 0);
      service = services.use(await startProcess(folder.path, env, patience));
      for (const maker of makers) {
        maker.token = await service.token(maker.subject);
        lost += await settle(service.url, maker);
      }
    }
    report(`kill -9 between change and answer on ${database}`, {
      rounds: count,
      asked,
      'changes whose answer was lost, and came again': lost,
    });
  },
  1_800_000,
);

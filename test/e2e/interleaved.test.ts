import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTemporaryFolder, type ServiceProcess, startProcess } from '../support/process.ts';

const people = 1000;

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let service: ServiceProcess;
/** An access token of each person. Each person's session lasts for another time. */
let tokens: string[];

const durationOf = (person: number): number => 600 + person;

/** Runs a task for each item, so many at a time. */
async function forEach<Item>(items: readonly Item[], atOnce: number, task: (item: Item) => Promise<void>) {
  const rest = items.values();
  const work = async () => {
    for (const item of rest) await task(item);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

const send = (person: number, method: string, path: string, json?: object) =>
  fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${tokens[person]}`, 'content-type': 'application/json' },
    ...(json && { body: JSON.stringify(json) }),
  });

const everybody = Array.from({ length: people }, (_, person) => person);

beforeAll(async () => {
  folder = await createTemporaryFolder();
  service = await startProcess(folder.path, {
    LOG_LEVEL: 'warn',
    MAX_IN_FLIGHT: '100',
    RATE_LIMIT_ACCOUNT: 'off',
  });
  tokens = [];
  await forEach(everybody, 16, async (person) => {
    tokens[person] = await service.token(`person-${person}`);
  });
  await forEach(everybody, 16, async (person) => {
    const json = { session_duration: durationOf(person) };
    expect((await send(person, 'PUT', '/api/v1/automation/settings', json)).status).toBe(200);
  });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const query = 'query Settings { automationSettings { sessionDuration } }';

/** The ways to ask for one's own settings. */
const questions: readonly ((person: number) => Promise<unknown>)[] = [
  async (person) => {
    const answer = await send(person, 'GET', '/api/v1/automation/settings');
    return ((await answer.json()) as { session_duration: unknown }).session_duration;
  },
  async (person) => {
    const answer = await send(person, 'POST', '/graphql', { query });
    const { data } = (await answer.json()) as { data: { automationSettings: { sessionDuration: unknown } } };
    return data.automationSettings.sessionDuration;
  },
];

/** Sends a request of a person, and closes the connection before the answer is there. */
const hangUp = (person: number): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(service.port, '127.0.0.1', () => {
      const body = JSON.stringify({ query });
      const head = `Host: a\r\nAuthorization: Bearer ${tokens[person]}\r\n`;
      socket.write(
        person % 2 === 0
          ? `GET /api/v1/automation/settings HTTP/1.1\r\n${head}\r\n`
          : `POST /graphql HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      setImmediate(() => socket.destroy());
    });
    socket.on('close', () => resolve()).on('error', () => {});
  });

it('gives each of a thousand people their own answers, while others hang up', async () => {
  const wrong: string[] = [];
  // Neighbours in the list are different people, who ask in different ways.
  const asked = everybody.flatMap((person) => questions.map((_, way) => ({ person, way })));
  const mixed = asked.map((_, index) => asked[(index * 7919) % asked.length] as (typeof asked)[number]);
  for (const _round of [1, 2]) {
    await Promise.all([
      forEach(mixed, 48, async ({ person, way }) => {
        const duration = await questions[way]?.(person);
        if (duration !== durationOf(person)) wrong.push(`${person}, ${way}: ${duration}`);
      }),
      forEach(everybody, 16, hangUp),
    ]);
  }
  expect(wrong).toEqual([]);
  // Those who hung up hold no place: as many are answered at once as before.
  const statuses = await Promise.all(
    everybody
      .slice(0, 90)
      .map(async (person) => (await send(person, 'GET', '/api/v1/auth/private-key')).status),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});

import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const source = new URL('../../../src/observability/log.ts', import.meta.url).href;

/** Two lines. */
const twoLines = "logger.warn({ status: 503 }, 'one\\nforged'); logger.debug('two');";

/** The text of a module that logs. */
const program = (level: string, isTerminal: boolean, log: string) => `
    process.stdout.isTTY = ${isTerminal};
    const { createLogger, LogOutput } = await import('${source}');
    const logger = await createLogger('${level}', new LogOutput(1));
    ${log}`;

/** What a process writes that logs. */
const output = (level: string, isTerminal: boolean, log = twoLines) => {
  const code = program(level, isTerminal, log);
  return execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
};

/** The same of a process that is killed at the end of what it logs. */
const outputOfKilled = (log: string) => {
  const { stdout, signal } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program('info', false, log)],
    { encoding: 'utf8', env: { ...process.env, UV_THREADPOOL_SIZE: '1' } },
  );
  expect(signal).toBe('SIGKILL');
  return stdout;
};

describe('in a pipe', () => {
  it('writes one JSON object a line, with a readable time', () => {
    const lines = output('debug', false).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 40,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        status: 503,
        msg: 'one\nforged',
      },
      { level: 20, time: expect.any(String), msg: 'two' },
    ]);
  });

  it('leaves out lines below its level', () => {
    expect(output('warn', false).trimEnd().split('\n')).toHaveLength(1);
    expect(output('silent', false)).toBe('');
  });
});

describe('in a terminal', () => {
  /** The lines of a log, without their times. */
  const linesOf = (log: string) =>
    output('info', true, log)
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^\[\d\d:\d\d:\d\d\.\d{3}\] /, ''));

  it('writes readable lines', () => {
    expect(output('info', true)).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: one/);
    expect(linesOf("logger.warn({ connections: 3 }, 'waiting')")).toEqual([
      'WARN: waiting {"connections":3}',
    ]);
  });

  it('writes a request in one short line', () => {
    const request = {
      ...{ requestId: 'r-1', traceId: 't', spanId: 's', method: 'DELETE', status: 200, milliseconds: 1.25 },
      ...{ route: '/api/v1/auth/keys/{key_id}', operation: 'deactivateApiKey', accountId: 7 },
    };
    const refusal = { requestId: 'r-2', method: 'GET', status: 401, milliseconds: 0.5, reason: 'no-token' };
    const failure = { ...refusal, route: '/graphql', status: 500, reason: 'x', clientAddress: '192.0.2.7' };
    const lines = [request, refusal, failure].map(
      (line) => `logger.info(${JSON.stringify(line)}, 'request');`,
    );
    expect(linesOf(lines.join(''))).toEqual([
      'INFO: DELETE /api/v1/auth/keys/{key_id} 200 in 1.25 ms, deactivateApiKey',
      'INFO: GET an unknown path 401 in 0.5 ms, no-token',
      'INFO: GET /graphql 500 in 0.5 ms, x, from 192.0.2.7, r-2',
    ]);
  });

  it('writes an event in one line, without the ids of its request and trace', () => {
    const event = {
      requestId: 'r',
      traceId: 't',
      spanId: 's',
      event: 'api-key-created',
      accountId: 1,
      keyId: 5,
    };
    expect(linesOf(`logger.info(${JSON.stringify(event)}, 'api-key-created')`)).toEqual([
      'INFO: api-key-created {"accountId":1,"keyId":5}',
    ]);
  });
});

describe('the last line', () => {
  it('is written even if the process is killed right after it while its threads are busy', () => {
    const written = outputOfKilled(`
      const { pbkdf2 } = await import('node:crypto');
      pbkdf2('', '', 1e9, 64, 'sha512', () => {});
      logger.fatal('it ends');
      process.kill(process.pid, 'SIGKILL');`);
    expect(JSON.parse(written)).toMatchObject({ level: 60, msg: 'it ends' });
  });
});

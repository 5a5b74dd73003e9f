import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const source = (name: string) => new URL(`../../../src/observability/${name}.ts`, import.meta.url).href;

/** What a process writes that logs two lines. */
const output = (level: string, isTerminal: boolean) => {
  const code = `
    process.stdout.isTTY = ${isTerminal};
    const { createLogger } = await import('${source('logger')}');
    const { LogOutput } = await import('${source('log-output')}');
    const logger = await createLogger('${level}', new LogOutput(1));
    logger.warn({ status: 503 }, 'one\\nforged');
    logger.debug('two');`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
};

describe('in a pipe', () => {
  it('writes one JSON object a line, with the time in words', () => {
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

  it('leaves out what is below its level', () => {
    expect(output('warn', false).trimEnd().split('\n')).toHaveLength(1);
    expect(output('silent', false)).toBe('');
  });
});

describe('in a terminal', () => {
  it('writes for a reader', () => {
    const text = output('info', true);
    expect(text).toMatch(/\[\d\d:\d\d:\d\d\.\d{3}\].*WARN.*: .*one/);
    expect(text).toContain('status');
    expect(text).not.toContain('{');
  });
});

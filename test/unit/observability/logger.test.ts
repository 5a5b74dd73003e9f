import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** What a process writes that logs two lines. */
const output = (level: string, isTerminal: boolean) => {
  const module = new URL('../../../src/observability/logger.ts', import.meta.url).href;
  const code = `
    process.stdout.isTTY = ${isTerminal};
    const { createLogger } = await import('${module}');
    const logger = await createLogger('${level}');
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

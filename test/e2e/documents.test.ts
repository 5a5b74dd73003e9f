import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Block, documents, startVariables } from '../support/documents.ts';
import { createTemporaryFolder, type Ended, runShell, startProcess } from '../support/process.ts';
import { canRun } from '../support/programs.ts';
import { toPattern } from '../support/template.ts';

const hasCurl = canRun('curl', 'the commands of the documents are not run');

/** Members whose value a client decides by: it must be the documented one. Of others the type must. */
const decisive = ['detail', 'msg', 'message', 'type', 'code', 'reason', 'loc', 'path'];

const kindOf = (value: unknown) => (value === null || typeof value === 'boolean' ? value : typeof value);

/** What must be the same in a documented answer and in a real one. */
function shapeOf(value: unknown, name = ''): unknown {
  if (decisive.includes(name) && typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((item) => shapeOf(item, name));
  if (typeof value !== 'object' || value === null) return kindOf(value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member, key)]));
}

/** Holds what commands printed to what the document says that they print. */
function compare({ language, text }: Block, printed: string) {
  if (language === 'json') return expect(shapeOf(JSON.parse(printed))).toEqual(shapeOf(JSON.parse(text)));
  const lines = printed.trimEnd().split(/\r?\n/);
  if (language === 'text') return expect(lines.join('\n')).toMatch(toPattern(text.trimEnd()));
  // Of an HTTP answer a document shows what matters there.
  for (const line of text.trimEnd().split('\n'))
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(toPattern(line), 'i')));
}

/** Runs commands one after the other in one shell; what comes out is what each of them printed. */
async function runAll(commands: readonly string[], env: Record<string, string>) {
  const script = ['set -eu', ...commands.flatMap((command) => [command, "printf '\\0'"])].join('\n');
  const ended: Ended = await runShell(script, { env, timeout: 25_000 });
  return { ...ended, printed: ended.stdout.split('\0').slice(0, -1) };
}

const withCommands = documents.filter(({ blocks }) => blocks.some(({ check }) => check === 'run'));

describe.runIf(hasCurl).each(withCommands)('the commands in $path', ({ blocks }) => {
  const commands = blocks.filter(({ check }) => check === 'run');
  let stack: AsyncDisposableStack;
  let result: Awaited<ReturnType<typeof runAll>>;

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const { path } = stack.use(await createTemporaryFolder());
    const { url, port, dataDir } = stack.use(await startProcess(path, startVariables(blocks)));
    const here = (text: string) =>
      text.replaceAll('http://127.0.0.1:4000', url).replaceAll('/backups/', `${path}/`);
    const ended = await runAll(
      commands.map(({ text }) => here(text)),
      { PORT: `${port}`, DATA_DIR: dataDir },
    );
    const printed = ended.printed.map((text) => text.replaceAll(url, 'http://127.0.0.1:4000'));
    result = { ...ended, printed };
  }, 40_000);
  afterAll(() => stack.disposeAsync());

  it('all succeed', () => {
    const failed = commands[result.printed.length]?.place;
    expect({ failed, code: result.code, stderr: failed && result.stderr }).toMatchObject({ code: 0 });
  });

  it.each(commands)('$place', (command) => {
    const printed = result.printed[commands.indexOf(command)] ?? '';
    const next = blocks[blocks.indexOf(command) + 1];
    if (next?.check === 'answer') compare(next, printed);
    // What is not shown to be refused is not refused.
    else expect(printed).not.toMatch(/"detail":|"errors":/);
  });
});

import { expect, it, vi } from 'vitest';
import { createTemporaryFolder, runShell, startInTerminal } from '../support/process.ts';
import { canRun } from '../support/programs.ts';

const hasTerminal = ['curl', 'script'].every((name) =>
  canRun(name, 'what a terminal shows is not tried out'),
);

it.runIf(hasTerminal)(
  'shows a panel in a terminal, and there a first call that works as it is printed',
  async () => {
    await using own = await createTemporaryFolder();
    await using terminal = await startInTerminal(own.path);
    const screen = terminal.screen();
    expect(screen).toMatch(/^ {2}Keyward is ready\.\n/m);
    expect(screen).toMatch(new RegExp(`GraphQL +${terminal.url}/graphql\n`));
    expect(screen).toMatch(new RegExp(`REST +${terminal.url}/api/v1\n`));
    expect(screen).toMatch(new RegExp(`OpenAPI +${terminal.url}/api/v1/openapi.json\n`));
    expect(screen).toMatch(new RegExp(`Console +${terminal.url}/console\n`));
    expect(screen).toMatch(new RegExp(`GraphiQL +${terminal.url}/graphql\n`));
    expect(screen).toMatch(new RegExp(`API reference +${terminal.url}/api/v1/docs\n`));
    expect(screen).toContain('Warning: the development identity provider lets anyone in, as anyone.');
    expect(screen).not.toContain('{');
    const { code, stdout } = await runShell(/^ *(curl .+)$/m.exec(screen)?.[1] ?? 'false');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ has_key: true });
    await vi.waitFor(() => expect(terminal.screen()).toContain('/auth/private-key 200 in'), 20_000);
    // A line for each request, and nothing else but the panel.
    const [, log = ''] = terminal.screen().split('AUTH_ISSUER to use your own.\n');
    expect(
      log
        .trim()
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([
      expect.stringMatching(
        /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: GET \/api\/v1\/auth\/private-key 200 in [\d.]+ ms, privateKeyStatus$/,
      ),
    ]);
  },
);

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentServerSecret } from '../../src/secrets/server-secret.ts';
import { createTemporaryFolder, runShell, type ServiceProcess, startProcess } from './process.ts';
import { toPattern } from './template.ts';

/**
 * Starts the service for the tests of a file of examples.
 * @returns the service, once it is ready, and what runs an example as its first lines say
 */
export function useExamples() {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
  let service: ServiceProcess;
  beforeAll(async () => {
    folder = await createTemporaryFolder();
    service = await startProcess(folder.path);
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });
  return {
    service: () => service,
    run: async (command: string, { url = service.url, token = '', scope = '' } = {}) => {
      const granted = token || (await service.token('alice', scope || undefined));
      const env = {
        KEYWARD_URL: url,
        KEYWARD_TOKEN: granted,
        KEYWARD_SERVER_SECRET: developmentServerSecret,
      };
      // Go compiles before it runs.
      return runShell(command, { env, timeout: 60_000 });
    },
  };
}

/** What the short examples print, in all languages but the shell's. */
export const sentences = `Made the API key …, sk-…
The key is valid
Deactivated the API key … at …Z
The key is not valid: inactive
A private key since …Z
Automation is on, in sessions of 3600 s
DELETE /auth/keys/2147483647: 404 API key not found
PUT /automation/settings: 422 body.session_duration: Must be at least 60 seconds.
`;

/** An example: its language, the command that runs it, what it prints, and whether this machine can run it. */
export type Example = readonly [language: string, command: string, printed: string, isHere: boolean];

/** The tests of each of the short examples. */
export function describeExamples(
  run: ReturnType<typeof useExamples>['run'],
  examples: readonly Example[],
): void {
  describe.each(examples)('the example in %s', (_language, command, printed, isHere) => {
    it.runIf(isHere)(
      'makes, verifies and ends a key, and shows two refusals',
      { timeout: 70_000 },
      async () => {
        const { code, stdout, stderr } = await run(command);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout).toMatch(toPattern(printed));
      },
    );

    it.runIf(isHere)('says which variable is missing', { timeout: 70_000 }, async () => {
      const { code, stdout, stderr } = await runShell(command, { timeout: 60_000 });
      expect(code).not.toBe(0);
      expect(stdout + stderr).toContain('KEYWARD_TOKEN');
    });
  });
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryFolder, runShell, type ServiceProcess, startProcess } from '../support/process.ts';
import { canRun } from '../support/programs.ts';
import { toPattern } from '../support/template.ts';
import { type Behaviour, startUnreliableDoor } from '../support/unreliable-door.ts';

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

/** Runs an example as its first lines say. */
const run = async (command: string, { url = service.url, token = '', scope = '' } = {}) => {
  const granted = token || (await service.token('alice', scope || undefined));
  const server = await service.token('server', 'keys.verify');
  const env = { KEYWARD_URL: url, KEYWARD_TOKEN: granted, KEYWARD_SERVER_TOKEN: server };
  // Go compiles before it runs.
  return runShell(command, { env, timeout: 60_000 });
};

const curlPrints = `== A new API key is verified
{"valid":true,"reason":null,"key_id":…,"user_id":1,"expires_at":null,"name":"Example with curl",…}
200
== It is deactivated
{"id":…,"key_prefix":"sk-…","name":"Example with curl",…"is_active":false,…"deactivated_at":"…Z","previous_works_until":null,"last_used_at":…}
200
== It is verified again
{"valid":false,"reason":"inactive","key_id":…,"user_id":1,"expires_at":null,"name":"Example with curl",…}
200
== Is there a private key?
{"has_key":true,"created_at":"…Z","updated_at":"…Z"}
200
== Automation on, in sessions of an hour
{"is_enabled":true,"session_duration":3600,"user_id":1,"created_at":"…Z","updated_at":"…Z"}
200
== A key that is not there
{"detail":"API key not found"}
404
== A session that is too short
{"detail":[{"loc":["body","session_duration"],"msg":"Must be at least 60 seconds.","type":"greater_than_equal"}]}
422
`;

const sentences = `Made the API key …, sk-…
The key is valid
Deactivated the API key … at …Z
The key is not valid: inactive
A private key since …Z
Automation is on, in sessions of 3600 s
DELETE /auth/keys/2147483647: 404 API key not found
PUT /automation/settings: 422 body.session_duration: Must be at least 60 seconds.
`;

describe.each([
  ['sh', 'sh examples/keyward.sh', curlPrints, canRun('curl', 'its example is not run')],
  ['JavaScript', 'node examples/keyward.mjs', sentences, true],
  ['Python', 'python3 examples/keyward.py', sentences, canRun('python3', 'its example is not run')],
  ['Go', 'go run examples/keyward.go', sentences, canRun('go', 'its example is not run', ['version'])],
  ['PHP', 'php examples/keyward.php', sentences, canRun('php', 'its example is not run', ['--ri', 'curl'])],
])('the example in %s', (_language, command, printed, isHere) => {
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

const madeAndDeactivated = (name: string) => `Made the API key …, sk-…
  … ${name}
  3 (no name)
  2 Build server
  1 Laptop
Deactivated the API key … at …Z
Automation is on, in sessions of 3600 s
`;

const restPrints = `${madeAndDeactivated('Example with REST')}404 "API key not found"
409 "API key is inactive"
422 [{"loc":["body","session_duration"],"msg":"Must be at least 60 seconds.","type":"greater_than_equal"}]
`;

const graphqlPrints = `${madeAndDeactivated('Example with GraphQL')}404 API key not found
There is no such API key among yours.
409 API key is inactive
Read the API key again: it was deactivated or has expired.
422 sessionDuration: Must be at least 60 seconds.
Correct the input.
`;

describe.each([
  ['REST', 'node examples/typescript/rest.ts', restPrints],
  ['GraphQL', 'node examples/typescript/graphql.ts', graphqlPrints],
])('the typed client of %s', (_name, command, printed) => {
  it('lists all pages, creates, deactivates, changes settings, and reads 404, 409 and 422', async () => {
    const { code, stdout, stderr } = await run(command);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(toPattern(printed));
  });

  it('says what to do about a 401', async () => {
    expect(await run(command, { token: 'not-a-token' })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        '401 Could not validate credentials\nSign in again: the access token is missing, expired or not for this service.\n',
    });
  });

  it('says which scope is missing, for a 403', async () => {
    const { code, stderr } = await run(command, { scope: 'openid email profile' });
    expect(code).toBe(1);
    expect(stderr).toMatch(toPattern('403 …idp.signin.user.admin\nSign in again, …\n'));
  });

  /** What it prints where its requests go through a door, and how many came there. */
  const through = async (behaviours: readonly Behaviour[]) => {
    using door = await startUnreliableDoor(service, behaviours);
    const ended = await run(command, { url: door.url });
    return { ...ended, requests: door.received.length };
  };

  it('sends again what was refused with 429, a creation too, and what can be repeated after a 503 and a cut', async () => {
    const { requests: usual } = await through(['pass']);
    const { code, stdout, requests } = await through([429, 429, 'pass', 503, 'cut', 'pass']);
    expect(code).toBe(0);
    expect(stdout).toMatch(toPattern(printed));
    expect(requests).toBe(usual + 4);
  });

  it.each([503, 'cut'] as const)('does not send a creation again after a %s', async (behaviour) => {
    const { code, stderr, requests } = await through([behaviour, 'pass']);
    expect({ code, requests }).toEqual({ code: 1, requests: 1 });
    expect(stderr).toMatch(behaviour === 503 ? /^503 Refused at the door\n/ : /^No answer: /);
  });

  it('waits as long as Retry-After says', async () => {
    using door = await startUnreliableDoor(service, [429, 'pass'], 1);
    expect((await run(command, { url: door.url })).code).toBe(0);
    const [first = 0, second = 0] = door.received;
    expect(second - first).toBeGreaterThanOrEqual(1000);
  });

  it('gives up after four attempts', async () => {
    const { code, stderr, requests } = await through([429]);
    expect({ code, requests }).toEqual({ code: 1, requests: 4 });
    expect(stderr).toMatch(/^429 Refused at the door\nToo many requests/);
  });
});

import { describe, expect, it } from 'vitest';
import { describeExamples, sentences, useExamples } from '../support/example-suite.ts';
import { toPattern } from '../support/template.ts';
import { type Behaviour, startUnreliableDoor } from '../support/unreliable-door.ts';

const { run, service } = useExamples();

describeExamples(run, [['JavaScript', 'node examples/keyward.mjs', sentences, true]]);

const madeAndDeactivated = (name: string, more = '') => `Made the API key …, sk-…${more}
  … ${name}
  3 (no name)
  2 Build server
  1 Laptop
Deactivated the API key … at …Z
Automation is on, in sessions of 3600 s
`;

const restPrints = `${madeAndDeactivated('Example with REST', ', for the team search')}404 "API key not found"
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

it("a provider's dashboard makes a key for a customer, and lists the customer's keys", async () => {
  const command = 'node examples/typescript/act-for-customers.ts https://id.example.com dora';
  const { code, stdout, stderr } = await run(command);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(toPattern('Show dora this secret once: sk-…\n… Website\n'));
});

describe.each([
  ['REST', 'node examples/typescript/rest.ts', restPrints],
  ['GraphQL', 'node examples/typescript/graphql.ts', graphqlPrints],
])('the typed client of %s', (_name, command, printed) => {
  it('lists all pages, creates, deactivates, changes settings, and reads 404, 409 and 422', async () => {
    const { code, stdout, stderr } = await run(command);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(toPattern(printed));
  });

  it('says what to do after a 401', async () => {
    expect(await run(command, { token: 'not-a-token' })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        '401 Could not validate credentials\nSign in again: the access token is missing, expired or not for this service.\n',
    });
  });

  it('says after a 403 which scope is missing', async () => {
    const { code, stderr } = await run(command, { scope: 'openid email profile' });
    expect(code).toBe(1);
    expect(stderr).toMatch(toPattern('403 …idp.signin.user.admin\nSign in again, …\n'));
  });

  /** What it prints where its requests go through a door, and how many came there. */
  const through = async (behaviours: readonly Behaviour[]) => {
    using door = await startUnreliableDoor(service(), behaviours);
    const ended = await run(command, { url: door.url });
    return { ...ended, requests: door.received.length };
  };

  it('retries everything after a 429, and only idempotent requests after a 503 or a lost connection', async () => {
    const { requests: usual } = await through(['pass']);
    const { code, stdout, requests } = await through([429, 429, 'pass', 503, 'cut', 'pass']);
    expect(code).toBe(0);
    expect(stdout).toMatch(toPattern(printed));
    expect(requests).toBe(usual + 4);
  });

  it.each([503, 'cut'] as const)('does not retry a creation after a %s', async (behaviour) => {
    const { code, stderr, requests } = await through([behaviour, 'pass']);
    expect({ code, requests }).toEqual({ code: 1, requests: 1 });
    expect(stderr).toMatch(behaviour === 503 ? /^503 Refused at the door\n/ : /^No answer: /);
  });

  it('waits for as long as Retry-After says', async () => {
    using door = await startUnreliableDoor(service(), [429, 'pass'], 1);
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

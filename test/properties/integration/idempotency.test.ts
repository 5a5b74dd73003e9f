import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

/** Creates a key for each request, all at once, as a new person. */
const createAll = async (requests: readonly { key: string; name: string }[]) => {
  const token = await setup.sign({ sub: randomUUID() });
  const create = async ({ key, name }: { key: string; name: string }) => {
    const call = { token, json: { name }, headers: { 'idempotency-key': key } };
    return { key, name, answer: await setup.gateway.rest('POST', '/auth/keys', call) };
  };
  const answers = await Promise.all(requests.map(create));
  return { answers, own: (await setup.gateway.rest('GET', '/auth/keys', { token })).body };
};

it('any requests at once with any Idempotency-Keys → one API key for each', async () => {
  const request = fc.record({ key: fc.constantFrom('a', 'b', 'c'), name: fc.constantFrom('x', 'y') });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), async (requests) => {
      const { answers, own } = await createAll(requests);
      const made = new Map<string, { name: string; body: unknown }>();
      for (const { key, name, answer } of answers) {
        expect([201, 409, 422]).toContain(answer.status);
        if (answer.status !== 201) continue;
        const known = made.get(key) ?? { name, body: answer.body };
        expect({ name, body: answer.body }).toEqual(known);
        made.set(key, known);
      }
      expect([...made.keys()].sort()).toEqual([...new Set(requests.map(({ key }) => key))].sort());
      expect(own).toHaveLength(made.size);
    }),
    { numRuns: 15 },
  );
});

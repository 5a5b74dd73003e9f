import { type ExecutionResult, execute, type GraphQLError, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/gateway/schema.ts';
import { maskError } from '../../../src/graphql/graphql-errors.ts';
import { Draw, type DrawnOperation, drawDocument } from '../../support/draw-document.ts';
import { createTestGateway, type TestGateway } from '../../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { operationContext } from '../../support/operation-context.ts';

/** How many documents are drawn; of each, three answers are compared. */
const count = 350;

let issuer: TestIssuer;
let gateway: TestGateway;
let tokens: Record<string, string>;

beforeAll(async () => {
  issuer = await startIssuer();
  // What is drawn is to be run, however much it asks for.
  const generous = { tokens: 100_000, depth: 100, aliases: 1000, directives: 1000, cost: 1_000_000 };
  gateway = await createTestGateway(issuer, { documents: generous });
  tokens = { alice: await issuer.sign(), bob: await issuer.sign({ sub: 'bob' }) };
  const alice = await gateway.createAccount('alice');
  const bob = await gateway.createAccount('bob');
  await gateway.createApiKey(alice, { isDefault: true });
  await gateway.createApiKey(alice, { name: null });
  await gateway.createApiKey(bob);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

/** The parts of a result that are the executor's own; an error's code tells what it was. */
const essence = ({ data, errors }: ExecutionResult) =>
  JSON.stringify({
    data,
    errors: errors?.map(({ message, path, locations, extensions }) => ({
      message,
      path,
      locations,
      code: extensions?.['code'],
    })),
  });

/** What graphql-js answers on a fresh parse, with nothing between. */
async function expected(text: string, operation: DrawnOperation, variableValues: Record<string, unknown>) {
  const document = parse(text);
  const contextValue = { ...operationContext(gateway, issuer.config.issuer), record: {} };
  const result = await execute({
    schema,
    document,
    contextValue,
    variableValues,
    operationName: operation.name,
  });
  const errors = result.errors?.map((error) => maskError(error).toJSON() as unknown as GraphQLError);
  return essence({ ...result, ...(errors && { errors }) });
}

const send = async (subject: string, query: string, operation: DrawnOperation, variables: object) => {
  const { body } = await gateway.fetch('POST', '/graphql', {
    token: tokens[subject] ?? '',
    headers: { accept: 'application/graphql-response+json' },
    json: { query, operationName: operation.name, variables },
  });
  return essence(body);
};

/** Holds three answers of one document to graphql-js, with other people's operations of it between. */
async function compare(seed: number): Promise<boolean> {
  const draw = new Draw(seed);
  const { text, operations } = drawDocument(schema, draw);
  if (validate(schema, parse(text)).length > 0) return false;
  const operation = draw.pick(operations);
  const variables = operation.variables(draw);
  const others = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      const other = draw.pick(operations);
      await send('bob', text, other, other.variables(draw));
    }
  };

  // What is changed is changed by the first.
  if (operation.changes) await expected(text, operation, variables);
  const wanted = await expected(text, operation, variables);
  const answers: string[] = [];
  for (const between of [0, 1, 6]) {
    await others(between);
    answers.push(await send('alice', text, operation, variables));
  }
  const what = `seed ${seed}, ${operation.name} ${JSON.stringify(variables)}\n${text}`;
  expect(answers, what).toEqual([wanted, wanted, wanted]);
  return wanted.includes('"data":{"');
}

describe("a caller's document", () => {
  it(`gets the response of graphql-js, cached or new: ${count} drawn`, { timeout: 120_000 }, async () => {
    const first = Date.now() % 1_000_000_000;
    let compared = 0;
    for (let index = 0; index < count; index += 1) compared += Number(await compare(first + index));
    // Those that graphql-js refuses as a whole are no comparison.
    expect(compared).toBeGreaterThan(count / 2);
  });
});

import fc from 'fast-check';
import { buildSchema, type ExecutionArgs, type ExecutionResult, execute, parse } from 'graphql';
import { envelop, useSchema } from 'graphql-yoga';
import { describe, expect, it } from 'vitest';
import { type AnyPlugin, createPipeline } from '../../../src/graphql/run-operation.ts';

const schema = buildSchema('type Query { said: String }');
const document = parse('{ said }');

/** What a hook does, beside saying that it was there. */
const doings = ['nothing', 'waits', 'extends', 'fails', 'waits and fails'] as const;
type Doing = (typeof doings)[number];

interface Context {
  readonly said: string[];
}

interface DrawnPlugin {
  readonly builds?: Doing | undefined;
  readonly executes?: Doing | undefined;
  readonly runsItself?: boolean | undefined;
  readonly done?: Doing | 'replaces' | undefined;
}

/** What a hook gets, as far as it is used here. */
interface Payload {
  readonly context: Context;
  readonly args: ExecutionArgs & { readonly contextValue: Context };
  readonly result: unknown;
  extendContext(more: object): void;
  setExecuteFn(run: typeof execute): void;
  setResult(result: ExecutionResult): void;
}

/** Says in the context what was called there and what the context holds, and then does something. */
const act = (
  doing: Doing | undefined,
  what: string,
  context: Context,
  { extendContext }: Partial<Payload> = {},
): void | Promise<void> => {
  context.said.push(`${what} of ${Object.keys(context)}`);
  if (doing === 'extends') extendContext?.({ [`by ${what}`]: true });
  if (doing === 'fails') throw new Error(what);
  if (doing === 'waits') return Promise.resolve();
  if (doing === 'waits and fails') return Promise.reject(new Error(what));
};

/** Makes a plugin whose hooks say what was called, in which order. */
function pluginOf({ builds, executes, runsItself, done }: DrawnPlugin, index: number): AnyPlugin {
  const onExecuteDone = ({ args, result, setResult }: Payload) => {
    if (done === 'replaces') setResult({ data: { said: `${index} after ${JSON.stringify(result)}` } });
    return act(done === 'replaces' ? 'nothing' : done, `done ${index}`, args.contextValue);
  };
  const run = (args: ExecutionArgs) => {
    (args.contextValue as Context).said.push(`run by ${index}`);
    return execute(args);
  };
  const onExecute = async (payload: Payload) => {
    if (runsItself) payload.setExecuteFn(run as typeof execute);
    await act(executes, `execute ${index}`, payload.args.contextValue, payload);
    return done && { onExecuteDone };
  };
  const onContextBuilding = (payload: Payload) => act(builds, `build ${index}`, payload.context, payload);
  return { ...(builds && { onContextBuilding }), ...(executes && { onExecute }) } as unknown as AnyPlugin;
}

/** What was called, and what came out of it. */
async function outcomeOf(run: (context: Context) => Promise<unknown>) {
  const context: Context = { said: [] };
  const result = await run(context).catch((error: Error) => error.message);
  return { result, context };
}

const rootValue = { said: 'nothing' };

const byPipeline = (plugins: readonly AnyPlugin[]) =>
  outcomeOf(async (context) => {
    const pipeline = createPipeline(plugins.map((plugin) => ({ plugin })));
    await pipeline.enter(context);
    return pipeline.execute({ schema, document, rootValue, contextValue: context });
  });

const byEnvelop = (plugins: readonly AnyPlugin[]) =>
  outcomeOf(async (context) => {
    const engine: AnyPlugin = { onExecute: ({ setExecuteFn }) => setExecuteFn(execute) };
    const enveloped = envelop({ plugins: [useSchema(schema), engine, ...plugins] })(context);
    const contextValue = await enveloped.contextFactory();
    return (await enveloped.execute({ schema, document, rootValue, contextValue })) as ExecutionResult;
  });

const doing = fc.option(fc.constantFrom(...doings), { nil: undefined });
const drawnPlugin: fc.Arbitrary<DrawnPlugin> = fc.record({
  builds: doing,
  executes: doing,
  runsItself: fc.boolean(),
  done: fc.option(fc.constantFrom(...doings, 'replaces' as const), { nil: undefined }),
});

describe('the pipeline', () => {
  it('calls the hooks of plugins as Envelop does', async () => {
    const drawn = fc.array(drawnPlugin, { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(drawn, async (each) => {
        const plugins = each.map(pluginOf);
        expect(await byPipeline(plugins)).toEqual(await byEnvelop(plugins));
      }),
      { numRuns: 300 },
    );
  });

  it.each(['onParse', 'onValidate', 'onParams', 'onResultProcess', 'onExecutionResult', 'instrumentation'])(
    'refuses a plugin with the hook %s, which it does not run, unless the step leaves the hook to Yoga',
    (hook) => {
      const plugin = { onExecute: () => {}, [hook]: () => {} } as AnyPlugin;
      expect(() => createPipeline([{ plugin }])).toThrow(`The pipeline does not run the hook ${hook}`);
      expect(() => createPipeline([{ plugin, onlyYoga: { onYogaInit: 'it starts' } }])).toThrow(hook);
      expect(() => createPipeline([{ plugin, onlyYoga: { [hook]: 'a reason' } }])).not.toThrow();
    },
  );

  const later = () => {};
  it.each<[string, AnyPlugin]>([
    ['when the context is built', { onContextBuilding: () => later }],
    ['when the context was built, after a wait', { onContextBuilding: async () => later }],
    ['for each part of a result', { onExecute: () => ({ onExecuteDone: () => ({ onNext: later }) }) }],
    ['at the end of all parts', { onExecute: () => ({ onExecuteDone: async () => ({ onEnd: later }) }) }],
    ['by another name', { onExecute: () => ({ onExecuteEnd: later }) as never }],
  ])('refuses the request if a hook leaves something to run later: %s', async (_when, plugin) => {
    const { result } = await byPipeline([plugin]);
    expect(result).toBe('The pipeline does not run what a hook has returned');
  });
});

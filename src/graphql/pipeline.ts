import { type ExecutionArgs, type ExecutionResult, execute } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** A plugin of Yoga's. */
// biome-ignore lint/suspicious/noExplicitAny: each plugin names for itself what it finds and leaves in the context
export type AnyPlugin = Plugin<any, any>;

/** Runs an operation through the hooks of plugins. */
export interface Pipeline {
  /** Completes the context. Returns nothing to wait for unless a plugin waits, as for a token that is new. */
  enter(context: object): Promise<unknown> | undefined;
  execute(args: ExecutionArgs): Promise<ExecutionResult>;
}

/**
 * Makes a pipeline from Yoga's plugins: the same hooks in the same order, when the context is built and when the
 * operation runs. Envelop, which runs them for Yoga, makes promises and closures for each hook; here, a hook that waits
 * for nothing costs one call. A hook that uses more of Envelop than it gets here fails, and so does its request.
 */
export function createPipeline(plugins: readonly AnyPlugin[]): Pipeline {
  const builders = plugins.flatMap(({ onContextBuilding }) => onContextBuilding ?? []);
  const executors = plugins.flatMap(({ onExecute }) => onExecute ?? []);

  const enter = (context: object, first = 0): Promise<unknown> | undefined => {
    const payload = { context, extendContext: (more: object) => Object.assign(context, more) };
    for (let index = first; index < builders.length; index += 1) {
      const waiting = builders[index]?.(payload as never);
      if (waiting) return Promise.resolve(waiting).then(() => enter(context, index + 1));
    }
    return undefined;
  };

  return {
    enter,
    execute: async (args) => {
      let run: (args: ExecutionArgs) => ReturnType<typeof execute> = execute;
      const extendContext = (more: object) => Object.assign(args.contextValue as object, more);
      const setExecuteFn = (given: typeof run) => {
        run = given;
      };
      const after: Awaited<ReturnType<(typeof executors)[number]>>[] = [];
      for (const hook of executors) {
        const hooks = hook({ args, extendContext, setExecuteFn } as never);
        after.push(hooks instanceof Promise ? await hooks : hooks);
      }
      let result = await run(args);
      const setResult = (given: ExecutionResult) => {
        result = given;
      };
      for (const hooks of after) await hooks?.onExecuteDone?.({ args, result, setResult } as never);
      return result;
    },
  };
}

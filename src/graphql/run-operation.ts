import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { WithAccessToken } from '../auth/caller.ts';
import { holds, isOperator, mayActForOthers } from '../auth/required-scopes.ts';
import { rootFieldNames, rootFields } from '../auth/root-fields.ts';
import { auditor } from '../auth/scopes.ts';
import type { Organizations } from '../config/values/organizations.ts';
import type { Db } from '../database/db.ts';
import type { AccountId } from '../database/tables.ts';
import type { Exchange, RequestRecord } from '../http/exchange.ts';
import type { EventLog } from '../observability/events.ts';
import { createEventLog } from '../observability/log.ts';
import { once } from '../once.ts';
import type { Caller, OperationContext, OperationServices, Owner } from '../operations/context.ts';
import { notAlone } from '../operations/idempotency-key.ts';
import { serverName } from '../operations/server-name.ts';
import { assertAnswerable } from './assert-answerable.ts';
import { factsOf } from './field-facts.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      rootFields: RootFieldPlugin<Types>;
    }
  }
}

/** The listeners to changes; no request waits for them. */
export interface Listeners {
  /** Woken after each change. */
  readonly webhooks?: { wake(): void } | undefined;
  /** Removes the rows of an account that was erased. */
  readonly erasures?: { run(): Promise<void> } | undefined;
}

/** Makes an event log that also tells the listeners. An event reaches the log only when its change is certain. */
const andTell =
  (
    events: EventLog,
    { webhooks, erasures }: Listeners,
    { doorGrace, assertions }: OperationServices,
  ): EventLog =>
  (name, event) => {
    doorGrace?.noteChange(event);
    assertions?.noteChange(event);
    events(name, event);
    webhooks?.wake();
    if (name === 'account-erased') void erasures?.run();
  };

/** Gives a request's operation its surroundings, at every door. Only the door knows who asks. */
export type Surround = ReturnType<typeof createSurround>;

/**
 * Makes what gives a request's operation its surroundings.
 * @param dbOf gives the database for a request
 * @param listeners called after each change
 */
export const createSurround =
  (
    services: OperationServices,
    dbOf: (record: RequestRecord) => Db,
    logger: Logger,
    listeners: Listeners = {},
  ) =>
  ({ address, answerBy, record }: Pick<Exchange, 'address' | 'answerBy' | 'record'>) => ({
    services,
    db: dbOf(record).until(answerBy),
    requestSource: { id: record.requestId, address },
    record,
    events: andTell(createEventLog(logger, record), listeners, services),
  });

/** The header fields that name for whom a request is: an account, or an organisation. */
const accountHeader = 'keyward-account';
const organizationHeader = 'keyward-organization';

/**
 * Decides whether a caller may act for the account or the organisation that a request names; undefined: it is the
 * caller's own account.
 */
export type ActFor = (acting: {
  readonly db: Db;
  readonly caller: Caller;
  readonly mayAct: boolean;
  readonly organizations: Organizations;
  readonly account: string | undefined;
  readonly organization: string | undefined;
}) => Promise<
  | (Pick<OperationContext, 'owner' | 'actingFor' | 'member'> & {
      readonly account: AccountId | undefined;
      readonly memberId?: AccountId | undefined;
    })
  | undefined
>;

const noOrganizations: Organizations = new Map();

/** The context of a request whose document is known. */
export interface WithRun {
  /** The result of the operation. Yoga answers with it if the operation failed. */
  running?: Promise<ExecutionResult>;
}

/** A request, with the decision for whom it is. */
type Decided = YogaInitialContext &
  Exchange &
  WithAccessToken &
  WithRun &
  Partial<OperationContext> & {
    /** Whose account the request is for; undefined: the caller's own. Missing until it is decided. */
    acted?: { readonly decision: Pick<OperationContext, 'owner' | 'actingFor' | 'member'> | undefined };
  };

/**
 * Gives each request the context of operations: the caller and the owner, the database, the log. The plugin runs after
 * the verification of the token. A request without a token gets no context, and reaches no operation. Yoga learns for
 * whom a request is before it parses the document, because the required scopes depend on that.
 */
export function useOperationContext(surround: Surround, actFor: ActFor): Plugin<Decided, Decided> {
  /** Decides for whom a request is that names an account; returns nothing to wait for if it names none. */
  const decide = (context: Decided): Promise<void> | undefined => {
    const { accessToken, headers, record } = context;
    const account = headers[accountHeader];
    const organization = headers[organizationHeader];
    if (!accessToken || (account === undefined && organization === undefined) || context.acted)
      return undefined;
    const { issuer, subject, server, scopes, organizations = noOrganizations } = accessToken;
    const caller = { issuer, subject };
    const mayAct = mayActForOthers(scopes);
    const { db } = surround(context);
    return actFor({ db, caller, mayAct, organizations, account, organization }).then((decided) => {
      Object.assign(context, { acted: { decision: decided } });
      if (!decided) return;
      const { account: accountId, memberId, actingFor, member } = decided;
      Object.assign(context, { actingFor, member });
      Object.assign(record, accountId !== undefined && { accountId }, memberId !== undefined && { memberId });
      if (actingFor !== undefined) record.actor = serverName({ caller, server });
    });
  };

  /** Who is the owner in place of the caller. */
  const ownerOf = ({ acted, actingFor, member }: Decided) =>
    acted?.decision && { owner: acted.decision.owner, actingFor, member };

  const build = (context: Decided) => {
    const { accessToken, headers, method } = context;
    if (!accessToken) return {};
    const { issuer, subject, server, scopes, organizations } = accessToken;
    const caller = { issuer, subject };
    return {
      ...surround(context),
      caller,
      organizations,
      // Who acts for nobody owns what they ask for.
      owner: { ...caller, kind: 'person' } as Owner,
      ...ownerOf(context),
      server,
      isOperator: isOperator(scopes),
      isAuditor: auditor.every((scope) => holds(scopes, scope)),
      // Requests with other methods are idempotent anyway.
      idempotencyKey: method === 'POST' ? (headers['idempotency-key'] ?? null) : null,
    };
  };

  return {
    onRequestParse: ({ serverContext }) => (serverContext.running ? undefined : decide(serverContext)),
    onContextBuilding: ({ context, extendContext }) => {
      const deciding = decide(context);
      if (!deciding) return extendContext(build(context));
      return deciding.then(() => extendContext(build(context)));
    },
  };
}

/** A plugin of Yoga's. */
// biome-ignore lint/suspicious/noExplicitAny: each plugin names for itself what it finds and leaves in the context
export type AnyPlugin = Plugin<any, any>;

/** Runs an operation through the hooks of plugins. */
export interface Pipeline {
  /** Completes the context. Returns nothing to wait for unless a plugin waits, as for a token that is new. */
  enter(context: object): Promise<unknown> | undefined;
  execute(args: ExecutionArgs): Promise<ExecutionResult>;
}

/** A plugin, and those of its hooks that only Yoga runs. */
export interface Step {
  readonly plugin: AnyPlugin;
  /** Why an operation needs this hook of the plugin only if Yoga answers it. */
  readonly onlyYoga?: Partial<Record<keyof AnyPlugin, string>>;
}

const hooksOfPipeline: readonly string[] = ['onContextBuilding', 'onExecute'] satisfies (keyof AnyPlugin)[];

/**
 * Refuses a plugin with a hook that neither the pipeline runs nor the step leaves to Yoga.
 * @throws {Error} so the process does not start
 */
function assertRun({ plugin, onlyYoga }: Step): void {
  for (const [hook, run] of Object.entries(plugin)) {
    if (run === undefined || hooksOfPipeline.includes(hook) || (onlyYoga && hook in onlyYoga)) continue;
    throw new Error(`The pipeline does not run the hook ${hook}, and nothing says that only Yoga needs it`);
  }
}

/**
 * Refuses what a hook has returned if it is to run later, and the pipeline does not run it.
 * @param after undefined or an object without members, if nothing is to run
 */
function assertNothingAfter(after: unknown): void {
  if (typeof after === 'function' || Object.keys(after ?? {}).length > 0)
    throw new Error('The pipeline does not run what a hook has returned');
}

/**
 * Makes a pipeline from Yoga's plugins: the same hooks in the same order, when the context is built and when the
 * operation runs. Envelop, which runs them for Yoga, makes promises and closures for each hook; here, a hook that waits
 * for nothing costs one call. A hook that uses more of Envelop than it gets here fails, and so does its request.
 * @param steps the plugins; each of their hooks must run here, or be left to Yoga for a reason
 * @throws {Error} if a plugin has another hook
 */
export function createPipeline(steps: readonly Step[]): Pipeline {
  for (const step of steps) assertRun(step);
  const builders = steps.flatMap(({ plugin }) => plugin.onContextBuilding ?? []);
  const executors = steps.flatMap(({ plugin }) => plugin.onExecute ?? []);

  const enter = (context: object, first = 0): Promise<unknown> | undefined => {
    const payload = { context, extendContext: (more: object) => void Object.assign(context, more) };
    for (let index = first; index < builders.length; index += 1) {
      const waiting = builders[index]?.(payload as never);
      if (!waiting) continue;
      return Promise.resolve(waiting).then((after) => {
        assertNothingAfter(after);
        return enter(context, index + 1);
      });
    }
    return undefined;
  };

  return {
    enter,
    execute: async (args) => {
      let run: (args: ExecutionArgs) => ReturnType<typeof execute> = execute;
      const extendContext = (more: object) => void Object.assign(args.contextValue as object, more);
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
      for (const { onExecuteDone, ...others } of after.filter((hooks) => hooks !== undefined)) {
        assertNothingAfter(others);
        assertNothingAfter(await onExecuteDone?.({ args, result, setResult } as never));
      }
      return result;
    },
  };
}

/** Runs an operation as compiled code: root value, context, variables. */
export type RunCompiled = (
  root: unknown,
  context: unknown,
  variables: ExecutionArgs['variableValues'],
) => ReturnType<typeof execute>;

/** The compiled code of this service's own documents; callers' documents have none. */
export type CompiledDocuments = Pick<WeakMap<DocumentNode, RunCompiled>, 'get'>;

/**
 * graphql-js repeats the whole variable in each error. One error is enough, because `useInputErrors` describes the
 * faults.
 */
const executionOptions = { maxCoercionErrors: 1 };

/**
 * Executes callers' documents with graphql-js's own executor instead of Yoga's. It interprets the document anew for
 * each request, compiles nothing, and writes nothing into the document. Documents with compiled code run that code.
 */
export const useExecutor = (compiled: CompiledDocuments): Plugin => ({
  onExecute: ({ args, setExecuteFn }) => {
    const run = compiled.get(args.document);
    setExecuteFn(
      run
        ? (given) => run(given.rootValue, given.contextValue, given.variableValues)
        : (given) => execute({ ...given, options: executionOptions }),
    );
  },
});

/**
 * Whether a root field of the mutation type changes something. A mutation that changes nothing says so by its
 * extension `changesNothing`.
 */
export const isChange = (field: Parameters<typeof factsOf>[0]): boolean => !factsOf(field).changesNothing;

/**
 * Refuses an Idempotency-Key for several root fields: the key identifies one request with one operation.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
function assertAlone({ operation, fragments }: GraphQLResolveInfo): void {
  const document = { kind: 'Document', definitions: [operation, ...Object.values(fragments)] };
  if (rootFields(document as DocumentNode, operation).length === 1) return;
  throw notAlone();
}

/**
 * Records the root field of a GraphQL request, after the field is known to belong to the schema. For REST, the route
 * records it.
 */
export function useOperationRecord(): Plugin<Exchange> {
  const nameOf = once((operation: OperationDefinitionNode, document: DocumentNode) =>
    describe(rootFieldNames(document, operation)),
  );
  return {
    onExecute: ({ args: { document, operationName, contextValue } }) => {
      const { record } = contextValue;
      const operation = record.operation ? undefined : getOperationAST(document, operationName);
      if (operation) record.operation = nameOf(operation, document);
    },
  };
}

/**
 * Describes the root fields of an operation in one word, because there are too many combinations: `[a]` → `a`, `[a,
 * b]` → `several`.
 */
const describe = (names: readonly string[]): string => {
  const [first = 'introspection', ...others] = new Set(names.filter((name) => !name.startsWith('__')));
  return others.length > 0 ? 'several' : first;
};

type Resolver<Context> = GraphQLFieldResolver<unknown, Context, object>;

/** Makes a resolver of a change that runs only once for an `Idempotency-Key`. */
const runningOnce =
  <Context extends object>(name: string, resolve: Resolver<Context>): Resolver<Context> =>
  async (parent, input, context, info) => {
    const { idempotencyKey: key, services, record } = context as unknown as OperationContext & Exchange;
    if (key === null) return resolve(parent, input, context, info);
    assertAlone(info);
    const { result, isReplayed } = await services.idempotency.runOnce(
      context as unknown as OperationContext,
      { key, name, input },
      async (inner) => resolve(parent, input, inner as unknown as Context, info),
    );
    record.isReplayed = isReplayed;
    return result;
  };

/** Makes a resolver of a change whose result is checked before it is stored. */
const answerable =
  <Context extends object>(resolve: Resolver<Context>): Resolver<Context> =>
  (parent, input, context, info) => {
    const check = (result: object) => assertAnswerable(info.returnType, result, { context, info });
    return resolve(parent, input, { ...context, assertAnswerable: check }, info);
  };

/** The result of an operation: a stored record, which names its account, or a page of such records. */
interface Answer {
  readonly account?: AccountId | null;
  readonly edges?: readonly { readonly node: Answer }[];
}

const accountOf = (answer: Answer | null): AccountId | undefined =>
  answer?.account ?? answer?.edges?.[0]?.node.account ?? undefined;

/** Runs a change only once for an `Idempotency-Key`, and checks its result. Records, for the log, the account of any root field's result. */
class RootFieldPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: Resolver<Types['Context']>,
    field: PothosOutputFieldConfig<Types>,
  ): Resolver<Types['Context']> {
    const { kind, name } = field;
    if (kind !== 'Query' && kind !== 'Mutation') return resolve;
    const run = kind === 'Mutation' && isChange(field) ? runningOnce(name, answerable(resolve)) : resolve;
    return async (parent, args, context, info) => {
      const answer = (await run(parent, args, context, info)) as Answer | null;
      (context as Exchange).record.accountId ??= accountOf(answer);
      return answer;
    };
  }
}

SchemaBuilder.registerPlugin('rootFields', RootFieldPlugin);

import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import {
  type DocumentNode,
  type ExecutionArgs,
  execute,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { WithAccessToken } from '../auth/caller.ts';
import { isOperator } from '../auth/required-scopes.ts';
import { rootFieldNames, rootFields } from '../auth/root-fields.ts';
import type { Db } from '../database/db.ts';
import type { AccountId } from '../database/tables.ts';
import type { Exchange, RequestRecord } from '../http/exchange.ts';
import type { EventLog } from '../observability/events.ts';
import { createEventLog } from '../observability/log.ts';
import { once } from '../once.ts';
import type { OperationContext, OperationServices } from '../operations/context.ts';
import { notAlone } from '../operations/idempotency-key.ts';
import { factsOf } from './field-facts.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      runOnce: RunOncePlugin<Types>;
      noteAccount: NoteAccountPlugin<Types>;
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
  (events: EventLog, { webhooks, erasures }: Listeners): EventLog =>
  (name, event) => {
    events(name, event);
    webhooks?.wake();
    if (name === 'account-erased') void erasures?.run();
  };

/** The surroundings of a request's operation, at every door. Only the door knows who asks. */
export type Surroundings = Pick<OperationContext, 'db' | 'events' | 'requestSource' | 'services'> &
  Pick<Exchange, 'record'>;

/** Gives a request's operation its surroundings. */
export type Surround = (exchange: Pick<Exchange, 'address' | 'answerBy' | 'record'>) => Surroundings;

/**
 * @param dbOf gives the database for a request
 * @param listeners called after each change
 */
export const createSurround =
  (
    services: OperationServices,
    dbOf: (record: RequestRecord) => Db,
    logger: Logger,
    listeners: Listeners = {},
  ): Surround =>
  ({ address, answerBy, record }) => ({
    services,
    db: dbOf(record).until(answerBy),
    requestSource: { id: record.requestId, address },
    record,
    events: andTell(createEventLog(logger, record), listeners),
  });

/**
 * Gives each request the context of operations: the caller, the database, the log. The plugin runs after the
 * verification of the token. A request without a token gets no context, and reaches no operation.
 */
export const useOperationContext = (
  surround: Surround,
): Plugin<YogaInitialContext & Exchange & WithAccessToken & Partial<OperationContext>> => ({
  onContextBuilding: ({ context, extendContext }) => {
    const { accessToken, headers, method } = context;
    if (!accessToken) return;
    const { issuer, subject, scopes } = accessToken;
    extendContext({
      ...surround(context),
      caller: { issuer, subject },
      isOperator: isOperator(scopes),
      // Requests with other methods are idempotent anyway.
      idempotencyKey: method === 'POST' ? (headers['idempotency-key'] ?? null) : null,
    });
  },
});

/** Runs an operation as compiled code: root value, context, variables. */
type RunCompiled = (
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

/** Runs a root field that changes something only once for an `Idempotency-Key`. */
class RunOncePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    field: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (field.kind !== 'Mutation' || !isChange(field)) return resolve;
    const { name } = field;
    return async (parent, input, context, info) => {
      const { idempotencyKey: key, services, record } = context as OperationContext & Exchange;
      if (key === null) return resolve(parent, input, context, info);
      assertAlone(info);
      const { result, isReplayed } = await services.idempotency.runOnce(
        context as OperationContext,
        { key, name, input },
        async (inner) => resolve(parent, input, inner as Types['Context'], info),
      );
      record.isReplayed = isReplayed;
      return result;
    };
  }
}

SchemaBuilder.registerPlugin('runOnce', RunOncePlugin);

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

/** The result of an operation: a stored record, which names its account, or a page of such records. */
interface Answer {
  readonly account?: AccountId | null;
  readonly edges?: readonly { readonly node: Answer }[];
}

const accountOf = (answer: Answer | null): AccountId | undefined =>
  answer?.account ?? answer?.edges?.[0]?.node.account ?? undefined;

/** Records, for the log, the account of a root field's result. */
class NoteAccountPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { kind }: { readonly kind: string },
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (kind !== 'Query' && kind !== 'Mutation') return resolve;
    return async (parent, args, context, info) => {
      const answer = (await resolve(parent, args, context, info)) as Answer | null;
      (context as Exchange).record.accountId ??= accountOf(answer);
      return answer;
    };
  }
}

SchemaBuilder.registerPlugin('noteAccount', NoteAccountPlugin);

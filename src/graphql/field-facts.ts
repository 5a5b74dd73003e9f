import SchemaBuilder, {
  BasePlugin,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { OperationSettings } from '../operations/context.ts';

/** What a field or an argument says of itself beside its type: the compiler knows each of these, so none is misspelt. */
interface ValueFacts {
  /** A value that the description of the API shows. A field that answers a record shows what differs from the record's own example. */
  example?: unknown;
}

/** The most bytes of a number, a date-time, a word of a fixed list or a cursor, as JSON. */
export const ordinaryBytes = 32;

/** What any field says of itself. */
interface FieldFacts extends ValueFacts {
  /** How many items its list has at the most, whatever is asked for. */
  atMost?: number;
  /** How many items its list has at the most as a rule, if it hardly ever has as many as `atMost`. */
  usually?: number;
  /** The most bytes of its value as JSON, if these may be more than {@link ordinaryBytes}: of a list, all its items. */
  mostBytes?: number;
  /** REST has the members of its object in its place. */
  flatInRest?: true;
  /** REST has it only if it is not null: the contract has no such member of an ordinary record. */
  onlyIfSet?: true;
  /** REST leaves it out if it has this value, for the same reason. */
  leftOutIf?: string;
  /** REST leaves it out of the record: most readers would wait for what they do not need, or the contract is fixed. */
  notInRest?: true;
}

/** What a root field says of itself. */
interface OperationFacts {
  /** What it does, in two to five words: its title in OpenAPI. */
  summary: string;
  /** The schema of its input, for the limits that REST's description shows. */
  input?: (settings: OperationSettings) => z.ZodType;
  /** The errors that it may answer beside those that any operation may. */
  errors?: readonly ErrorCode[];
  /** It makes or changes a secret: REST refuses members of the body that it does not know. */
  changesSecret?: true;
  /** REST takes the whole record back, as it was answered, and passes over the members that are no input. */
  takesRecord?: true;
  /** A mutation that changes nothing: it needs no `Idempotency-Key`. */
  changesNothing?: true;
  /** Members of the record that its type lets be null, and that are never null in its answer. */
  neverNull?: readonly string[];
  /** What `limit` means in REST, if its list is longer than GraphQL's page. */
  limitInRest?: string;
}

/** All that a field may say of itself. */
export type Facts = Readonly<FieldFacts & Partial<OperationFacts>>;

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      fieldFacts: FieldFactsPlugin<Types>;
    }
    interface FieldOptions<Types, ParentShape, Type, Nullable, Args, ResolveShape, ResolveReturnShape>
      extends FieldFacts {}
    interface QueryFieldOptions<Types, Type, Nullable, Args, ResolveReturnShape> extends OperationFacts {}
    interface MutationFieldOptions<Types, Type, Nullable, Args, ResolveReturnShape> extends OperationFacts {}
    interface InputFieldOptions<Types, Type, Req> extends ValueFacts {}
  }
}

/** The name of every fact: the compiler refuses a list that lacks one, which the plugin would then drop. */
const names: Readonly<Record<keyof Facts, true>> = {
  atMost: true,
  changesNothing: true,
  changesSecret: true,
  errors: true,
  example: true,
  flatInRest: true,
  input: true,
  leftOutIf: true,
  limitInRest: true,
  mostBytes: true,
  neverNull: true,
  notInRest: true,
  onlyIfSet: true,
  summary: true,
  takesRecord: true,
  usually: true,
};

const factsIn = (options: object) =>
  Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(names, name)));

/** Carries the facts of fields and arguments into the schema, as their extensions. */
class FieldFactsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    return { ...field, extensions: { ...field.extensions, ...factsIn(field.pothosOptions) } };
  }

  override onInputFieldConfig(field: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    return { ...field, extensions: { ...field.extensions, ...factsIn(field.pothosOptions) } };
  }
}

SchemaBuilder.registerPlugin('fieldFacts', FieldFactsPlugin);

/** What a field or an argument of a schema says of itself. */
export const factsOf = ({ extensions }: { readonly extensions?: object | null | undefined }): Facts =>
  (extensions ?? {}) as Facts;

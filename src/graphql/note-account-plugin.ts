import SchemaBuilder, { BasePlugin, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import type { AccountId } from '../database/tables.ts';
import type { Exchange } from '../http/exchange.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      noteAccount: NoteAccountPlugin<Types>;
    }
  }
}

/** What an operation answers: something that is stored, which names its account, or a page of such things. */
interface Answer {
  readonly account?: AccountId | null;
  readonly edges?: readonly { readonly node: Answer }[];
}

const accountOf = (answer: Answer | null): AccountId | undefined =>
  answer?.account ?? answer?.edges?.[0]?.node.account ?? undefined;

/** Notes for the log whose account a root field has answered about. */
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

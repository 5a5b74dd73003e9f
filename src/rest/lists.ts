import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isObjectType,
} from 'graphql';

/** What a connection tells of its page, as far as REST says it. */
export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly endCursor?: string | null | undefined;
}

/** What is asked of a connection, by the rules of Relay. */
export interface Connection {
  readonly edges: readonly { readonly node: unknown }[];
  readonly pageInfo: PageInfo;
}

/** The arguments of a connection that page through it, and what REST has in their places. */
export const pageArguments: ReadonlyMap<string, string | undefined> = new Map([
  ['first', 'limit'],
  ['after', 'cursor'],
  ['last', undefined],
  ['before', undefined],
]);

const fieldType = (type: GraphQLOutputType, field: string): GraphQLObjectType | undefined => {
  const named = getNamedType(type);
  const inner = isObjectType(named) && getNamedType(named.getFields()[field]?.type);
  return isObjectType(inner) ? inner : undefined;
};

/** The type of the nodes of a Relay connection; undefined for any other type. */
export const nodeTypeOf = (type: GraphQLOutputType): GraphQLObjectType | undefined => {
  const edge = fieldType(type, 'pageInfo') && fieldType(type, 'edges');
  return edge && fieldType(edge, 'node');
};

type FieldConfig = GraphQLFieldConfig<unknown, unknown>;

/**
 * A connection as a list of its nodes. The extension `isPage` marks it; its own `limitInRest` says what `limit` is
 * where REST's list is another length than GraphQL's page.
 * @param config the field, its arguments spelled for REST
 * @param node the type of the nodes
 */
export const toList = (config: FieldConfig, node: GraphQLObjectType): FieldConfig => ({
  ...config,
  type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(node))),
  args: describePaging(config.args ?? {}, config.extensions?.['limitInRest'] as string | undefined),
  extensions: { ...config.extensions, isPage: true },
});

const describePaging = (
  { limit, cursor, ...others }: GraphQLFieldConfigArgumentMap,
  limitInRest: string | undefined,
): GraphQLFieldConfigArgumentMap => ({
  ...(limit && {
    limit: {
      ...limit,
      description: limitInRest ?? limit.description ?? 'The most that one answer may hold.',
      extensions: { example: 20, ...limit.extensions },
    },
  }),
  ...(cursor && {
    cursor: {
      ...cursor,
      // Clients of REST are not shown the cursors that GraphQL speaks of.
      description: 'Where the answer begins: the `Link` of the answer before has it. The first has none.',
      extensions: { ...cursor.extensions, example: 'MjA' },
    },
  }),
  ...others,
});

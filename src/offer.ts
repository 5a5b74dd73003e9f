import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import type { GraphQLSchema } from 'graphql';
import { operator } from './auth/scopes.ts';
import { requiredScopesOf } from './auth/use-required-scopes.ts';
import { type Routes, routes } from './rest/routes.ts';
import { createSofa, type Sofa } from './rest/sofa.ts';
import { schema } from './schema.ts';

/** What a service offers: its operations in GraphQL, and the same as REST has them. */
export interface Offer {
  readonly schema: GraphQLSchema;
  readonly sofa: Sofa;
}

const isForOperators = (field: Parameters<typeof requiredScopesOf>[0]): boolean =>
  operator.every((scope) => requiredScopesOf(field).includes(scope));

/** The schema as if nobody had ever thought of operators. */
const withoutOperators = (): GraphQLSchema =>
  pruneSchema(
    mapSchema(schema, {
      [MapperKind.ROOT_FIELD]: (field) =>
        isForOperators({ extensions: field.extensions ?? {} }) ? null : field,
    }),
  );

const routesOf = (offered: GraphQLSchema): Routes => {
  const fields = { ...offered.getQueryType()?.getFields(), ...offered.getMutationType()?.getFields() };
  return Object.fromEntries(Object.entries(routes).filter(([name]) => Object.hasOwn(fields, name)));
};

const createOffer = (offered: GraphQLSchema): Offer => ({
  schema: offered,
  sofa: createSofa(offered, routesOf(offered)),
});

const offers = new Map<boolean, Offer>();

/**
 * What a service offers, always the same object.
 * @param operators whether operators' fields and routes are there
 */
export function offerOf(operators: boolean): Offer {
  const offer = offers.get(operators) ?? createOffer(operators ? schema : withoutOperators());
  offers.set(operators, offer);
  return offer;
}

import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import { type GraphQLSchema, getOperationAST, parse } from 'graphql';
import { requiredScopesOf } from '../auth/required-scopes.ts';
import { rootFieldNames, rootFieldsOf } from '../auth/root-fields.ts';
import { auditor, operator } from '../auth/scopes.ts';
import { type Routes, routes } from '../rest/routes.ts';
import { createSofa } from '../rest/sofa.ts';
import { schema } from './schema.ts';

const isForOperators = (field: Parameters<typeof requiredScopesOf>[0]): boolean =>
  [...operator, ...auditor].some((scope) => requiredScopesOf(field).includes(scope));

/** The schema without any trace of the operators' operations. */
const withoutOperators = (): GraphQLSchema =>
  pruneSchema(
    mapSchema(schema, {
      [MapperKind.ROOT_FIELD]: ({ extensions, ...field }) => {
        const { orOperator: _, ...others } = extensions ?? {};
        return isForOperators({ extensions: others }) ? null : { ...field, extensions: others };
      },
    }),
  );

const routesOf = (offered: GraphQLSchema): Routes => {
  const fields = rootFieldsOf(offered);
  return Object.fromEntries(Object.entries(routes).filter(([name]) => Object.hasOwn(fields, name)));
};

const createOffered = (offered: GraphQLSchema) => ({
  schema: offered,
  sofa: createSofa(offered, routesOf(offered)),
});

const kept = new Map<boolean, ReturnType<typeof createOffered>>();

/**
 * The operations that a service offers, in GraphQL and in REST; equal arguments return the same object.
 * @param operators whether the service offers the operators' fields and routes
 */
export function offeredOperations(operators: boolean) {
  const offered = kept.get(operators) ?? createOffered(operators ? schema : withoutOperators());
  kept.set(operators, offered);
  return offered;
}

/**
 * The documents of the pages that the offered schema can answer. Without operators' operations, the pages still have
 * documents for them.
 * @param texts the documents, by id
 */
export function offeredDocuments(
  offered: GraphQLSchema,
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const all = rootFieldsOf(schema);
  const there = rootFieldsOf(offered);
  const isOffered = (text: string): boolean => {
    const document = parse(text);
    const operation = getOperationAST(document);
    const names = operation ? rootFieldNames(document, operation) : [];
    return names.every((name) => Object.hasOwn(there, name) || !Object.hasOwn(all, name));
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => isOffered(text)));
}

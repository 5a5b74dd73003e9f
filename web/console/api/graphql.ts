import { initGraphQLTada } from 'gql.tada';
import type { introspection } from '../generated/schema.d.ts';

/** Reads a GraphQL document. Its type has the shape of the response, by the published schema. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; JSON: unknown; JSONObject: Readonly<Record<string, unknown>> };
  disableMasking: true;
}>();

import { lexicographicSortSchema, printSchema } from 'graphql';
import { loadConfig } from '../config/load-config.ts';
import { forwardAuthOpenApi } from '../http/forward-auth/openapi.ts';
import { createOpenApi } from '../rest/openapi.ts';
import { routes } from '../rest/routes.ts';
import { createSofa } from '../rest/sofa.ts';
import { schema } from '../schema.ts';

/** The published GraphQL contract: sorted SDL. */
export const sdlText = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;

/** The published REST contract, as a server with the development identity provider describes itself. */
export const openApiText = (): string => {
  const sofa = createSofa(schema, routes);
  const issuer = 'http://127.0.0.1:4000/idp';
  const openApi = createOpenApi(sofa, { issuer, limits: loadConfig({}), other: forwardAuthOpenApi });
  return `${JSON.stringify(openApi, null, 2)}\n`;
};

import { z } from 'zod';
import { accessTokenVariables } from './variables/access-tokens.ts';
import { databaseVariables } from './variables/database.ts';
import { edgeVariables } from './variables/edge.ts';
import { graphqlVariables } from './variables/graphql.ts';
import { httpVariables } from './variables/http.ts';
import { leakReportVariables } from './variables/leak-reports.ts';
import { limitVariables } from './variables/limits.ts';
import { observabilityVariables } from './variables/observability.ts';
import { pageVariables } from './variables/pages.ts';
import { secretVariables } from './variables/secrets.ts';
import { serverVariables } from './variables/server.ts';
import { webhookVariables } from './variables/webhooks.ts';

/** The variables by topic, as the documentation has them. */
export const topics = {
  Server: serverVariables,
  Storage: databaseVariables,
  'Access tokens': accessTokenVariables,
  Secrets: secretVariables,
  'Proxies, browsers and load': edgeVariables,
  Limits: limitVariables,
  Webhooks: webhookVariables,
  'Leaked keys': leakReportVariables,
  Pages: pageVariables,
  'HTTP limits': httpVariables,
  GraphQL: graphqlVariables,
  Observability: observabilityVariables,
};

/** Every variable of the environment that is read: what it must look like, and what it is where it is not set. */
export const environmentSchema = z.object({
  ...serverVariables,
  ...databaseVariables,
  ...accessTokenVariables,
  ...secretVariables,
  ...edgeVariables,
  ...limitVariables,
  ...webhookVariables,
  ...leakReportVariables,
  ...pageVariables,
  ...httpVariables,
  ...graphqlVariables,
  ...observabilityVariables,
});

/** The name of a variable. */
export type VariableName = keyof typeof environmentSchema.shape;

/** The environment, read. */
export type Environment = z.infer<typeof environmentSchema>;

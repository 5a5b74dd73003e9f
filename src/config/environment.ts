import { z } from 'zod';
import { accessTokenVariables } from './variables/access-tokens.ts';
import { assertionVariables } from './variables/assertions.ts';
import { databaseVariables } from './variables/database.ts';
import { leakReportVariables } from './variables/leak-reports.ts';
import { limitVariables } from './variables/limits.ts';
import { observabilityVariables } from './variables/observability.ts';
import { pageVariables } from './variables/pages.ts';
import { edgeVariables, graphqlVariables, httpVariables } from './variables/requests.ts';
import { secretVariables } from './variables/secrets.ts';
import { serverVariables } from './variables/server.ts';
import { webhookVariables } from './variables/webhooks.ts';

/** The variables by topic, in the order of the documentation. */
export const topics = {
  Server: serverVariables,
  Storage: databaseVariables,
  'Access tokens': accessTokenVariables,
  Secrets: secretVariables,
  Assertions: assertionVariables,
  'Proxies, browsers and load': edgeVariables,
  Limits: limitVariables,
  Webhooks: webhookVariables,
  'Leaked keys': leakReportVariables,
  Pages: pageVariables,
  'HTTP limits': httpVariables,
  GraphQL: graphqlVariables,
  Observability: observabilityVariables,
};

/** All environment variables that Keyward reads, with their formats and defaults. */
export const environmentSchema = z.object({
  ...serverVariables,
  ...databaseVariables,
  ...accessTokenVariables,
  ...secretVariables,
  ...assertionVariables,
  ...edgeVariables,
  ...limitVariables,
  ...webhookVariables,
  ...leakReportVariables,
  ...pageVariables,
  ...httpVariables,
  ...graphqlVariables,
  ...observabilityVariables,
});

/** The variables whose value may instead be in a file: `…_FILE` names it. */
export const inFiles = [
  'DATABASE_URL',
  'SERVER_CREDENTIALS',
  'WEBHOOKS',
  'KEY_PEPPERS',
  'KEY_ENCRYPTION_KEYS',
  'ASSERTION_KEYS',
] as const;

/** The name of a variable. */
export type VariableName = keyof typeof environmentSchema.shape;

/** The parsed environment. */
export type Environment = z.infer<typeof environmentSchema>;

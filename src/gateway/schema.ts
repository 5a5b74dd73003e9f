import '../api-keys/api-keys.graphql.ts';
import '../api-keys/api-key-secrets.graphql.ts';
import '../api-keys/verify/verify-api-key.graphql.ts';
import '../api-keys/import/import-api-key.graphql.ts';
import '../api-keys/usage/api-key-usage.graphql.ts';
import '../api-keys/account-api-keys.graphql.ts';
import '../api-keys/usage/account-usage.graphql.ts';
import '../private-key/private-key.graphql.ts';
import '../automation-settings/automation-settings.graphql.ts';
import '../plans/entitlement.graphql.ts';
import '../audit/audit-events.graphql.ts';
import '../audit/account-audit-events.graphql.ts';
import '../audit/audit-trail.graphql.ts';
import '../accounts/accounts.graphql.ts';
import '../webhooks/webhook-endpoints.graphql.ts';
import '../webhooks/webhook-deliveries.graphql.ts';
import { builder } from '../graphql/builder.ts';
import '../graphql/scalars.ts';

/** The GraphQL schema, the single source of both interfaces. */
export const schema = builder.toSchema({ sortSchema: false });

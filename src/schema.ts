import './api-keys/api-keys.graphql.ts';
import './api-keys/api-key-usage.graphql.ts';
import './api-keys/change-api-keys.graphql.ts';
import './api-keys/read-api-keys.graphql.ts';
import './api-keys/verify-api-key.graphql.ts';
import './audit/audit-events.graphql.ts';
import './automation-settings/automation-settings.graphql.ts';
import './operators/account-activity.graphql.ts';
import './operators/account-api-keys.graphql.ts';
import './operators/accounts.graphql.ts';
import './operators/webhook-deliveries.graphql.ts';
import './operators/webhook-endpoints.graphql.ts';
import './plans/entitlement.graphql.ts';
import './private-key/private-key.graphql.ts';
import { builder } from './graphql/builder.ts';
import './graphql/scalars.ts';

/** The GraphQL schema, the single source of both interfaces. */
export const schema = builder.toSchema({ sortSchema: false });

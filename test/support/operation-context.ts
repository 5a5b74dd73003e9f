import { Db } from '../../src/database/db.ts';
import type { OperationContext } from '../../src/operations/context.ts';
import type { TestGateway } from './gateway.ts';

/** What alice's operations are given on a gateway, for who runs them without a request. */
export const operationContext = (gateway: TestGateway, issuer: string): OperationContext => ({
  caller: { issuer, subject: 'alice' },
  db: new Db(gateway.database.em),
  requestSource: { id: 'request', address: null },
  secrets: gateway.secrets,
  record: {},
  events: () => {},
  limits: {
    sessionDuration: { min: 60, max: 86_400 },
    automationDefaults: { isEnabled: null, sessionDuration: null },
    apiKeysPerAccount: 1000,
    apiKeyDays: { usual: null, most: null },
    changesPerDay: 10_000,
    apiKeyPrefix: 'sk-',
    apiKeyPermissions: null,
    issuers: [],
    sealApiKeys: false,
    webhooks: { allowedHosts: [] },
  },
  keyUsage: gateway.keyUsage,
  keyRates: gateway.keyRates,
  keyQuotas: gateway.keyQuotas,
  accountRates: gateway.accountRates,
  accountQuotas: gateway.accountQuotas,
  importedKeys: gateway.importedKeys,
  idempotency: gateway.idempotency,
  idempotencyKey: null,
});

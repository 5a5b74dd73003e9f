import { Db } from '../../src/database/db.ts';
import type { OperationContext, Owner } from '../../src/operations/context.ts';
import type { TestGateway } from './gateway.ts';

/** What alice's operations are given on a gateway, for who runs them without a request. */
export const operationContext = (gateway: TestGateway, issuer: string): OperationContext => ({
  caller: { issuer, subject: 'alice' },
  owner: { issuer, subject: 'alice', kind: 'person' } as Owner,
  db: new Db(gateway.database.em),
  requestSource: { id: 'request', address: null },
  record: {},
  events: () => {},
  services: gateway.services,
  idempotencyKey: null,
});

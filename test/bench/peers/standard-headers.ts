import { randomUUID } from 'node:crypto';

/** What every answer has, as Keyward's have it. */
export const standardHeaders = () => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': randomUUID(),
});

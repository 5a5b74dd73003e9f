/** What every answer has, as Keyward's have it. */
export const standardHeaders = (requestId: string) => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': requestId,
});

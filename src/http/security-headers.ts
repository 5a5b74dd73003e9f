/** What every answer says of itself: it is of the type that it says, and no page of another site may show it. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

/** What an answer says that is no page: nothing in it is to be loaded or run, should a browser take it for one. */
export const dataOnly = "default-src 'none'; frame-ancestors 'none'";

/** The header fields of an answer in JSON that does not come from the gateway. */
export const plainHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'content-security-policy': dataOnly,
  ...securityHeaders,
} as const;

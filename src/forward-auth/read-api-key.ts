import { invalidApiKey, noApiKey } from './refusals.ts';

/**
 * The API key of a request: in `Authorization: Bearer` or in `X-API-Key`. Another scheme is for somebody else.
 * @throws {GatewayError} `UNAUTHENTICATED` where there is none, or two that differ
 */
export function readApiKey(headers: Headers): string {
  const [, scheme, bearer = ''] = /^(\S+)(?: +(.*))?$/.exec(headers.get('authorization')?.trim() ?? '') ?? [];
  const keys = [
    ...(scheme?.toLowerCase() === 'bearer' ? [bearer] : []),
    ...(headers.has('x-api-key') ? [headers.get('x-api-key')?.trim() ?? ''] : []),
  ];
  const [key, another = key] = keys;
  if (key === undefined) throw noApiKey();
  if (another !== key) throw invalidApiKey('ambiguous');
  return key;
}

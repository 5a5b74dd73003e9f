import { isIP } from 'node:net';
import { z } from 'zod';
import { json, listOf, objectOf, secureUrl, textOfFile } from '../values/kinds.ts';
import {
  longestWebhookUrl,
  mostWebhookEndpoints,
  webhookPatterns,
  webhookTypes,
} from '../values/webhook-events.ts';
import { webhookHeaders } from '../values/webhook-headers.ts';

/** The least and the greatest size of a secret in bytes, by Standard Webhooks. */
const leastSecret = 24;
const mostSecret = 64;

const isSecret = (text: string): boolean => {
  const [, base64 = ''] = /^whsec_(.+)$/.exec(text) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  // Refuses characters that the decoder would silently skip: the secret would lack them.
  return bytes.toString('base64') === base64 && bytes.length >= leastSecret && bytes.length <= mostSecret;
};

const wantedSecret = `must be whsec_ and ${leastSecret} to ${mostSecret} bytes in base64`;
const wantedTwo = `${wantedSecret}, or a list of two while one is replaced`;
const secret = z.string(wantedSecret).refine(isSecret, wantedSecret);

const wantedEvents = `must be a list of ${webhookTypes.join(', ')}, or patterns such as api_key.* or *`;

const endpoint = objectOf({
  url: secureUrl
    .refine((url) => url.length <= longestWebhookUrl, `must have at most ${longestWebhookUrl} characters`)
    .transform((url) => new URL(url).href),
  /** One secret, or two while the second replaces the first: `whsec_…`. */
  secret: z
    .union([secret, z.array(secret, wantedSecret).min(1, wantedSecret).max(2, wantedTwo)], {
      error: wantedTwo,
    })
    .transform((given): readonly string[] => [given].flat()),
  /** The types of events that the endpoint receives: names and patterns. */
  events: z
    .array(z.string(wantedEvents), wantedEvents)
    .min(1, wantedEvents)
    .refine((patterns) => patterns.every((pattern) => webhookPatterns.includes(pattern)), wantedEvents)
    .readonly()
    .default(['*']),
  /** Headers that each message has beside those of Standard Webhooks. */
  headers: webhookHeaders((text) => text).default({}),
}).transform(({ secret: secrets, ...others }) => ({ ...others, secrets }));

const wantedList = 'must be a JSON list of endpoints';

const endpoints = json(wantedList)
  .pipe(
    z
      .array(endpoint, wantedList)
      .max(mostWebhookEndpoints, `must name at most ${mostWebhookEndpoints} endpoints`)
      .readonly(),
  )
  .refine(
    (list) => new Set(list.map(({ url }) => url)).size === list.length,
    'must list each url once: an endpoint can have several events',
  );

/** Whether a text names a host, or a host and a port: `hooks.internal`, `10.0.0.7:8443`, `[fd00::1]:8443`. */
function isAllowance(text: string): boolean {
  if (isIP(text) === 6) return true;
  const [, , port = '1'] = /^([a-z\d_.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/.exec(text) ?? [undefined, '', '0'];
  return Number(port) > 0 && Number(port) <= 65_535;
}

/** The variables of webhooks. */
export const webhookVariables = {
  WEBHOOKS: endpoints.optional().meta({
    description:
      'Webhook endpoints, as a JSON list: `url`, `secret` (a list of two during a rotation), `events` (types or patterns such as `api_key.*`; default: all), `headers` (sent with each message, such as a token for a gateway). See [Webhooks](webhooks.md)',
    unset: 'none',
    example: `'[{"url": "https://hooks.example.com/keyward", "secret": "whsec_'"$(openssl rand -base64 32)"'"}]'`,
  }),
  WEBHOOKS_FILE: textOfFile.pipe(endpoints).optional().meta({
    description: 'File with the list, in place of `WEBHOOKS`',
    example: '/run/secrets/webhooks',
  }),
  WEBHOOKS_ALLOW: z
    .string()
    .toLowerCase()
    .pipe(
      listOf(isAllowance, 'must be a list of host names, each with or without a port, and without a path'),
    )
    // An IPv6 address has brackets in front of a port alone.
    .transform((hosts): readonly string[] => hosts.map((host) => host.replace(/^\[(.+)\]$/, '$1')))
    .default([])
    .meta({
      description:
        'Endpoint hosts that may have [a private address or name](webhooks.md#which-addresses-are-refused), separated by commas. With a port, only that port',
      example: 'hooks.internal:8443',
    }),
};

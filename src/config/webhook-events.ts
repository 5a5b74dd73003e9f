/** What a type of event is about: an API key of an account, or the account itself. */
export type About = 'api-key' | 'account';

interface KindOfEvent {
  /** As receivers know it. */
  readonly type: string;
  readonly about: About;
  /** When it is sent, in a sentence. */
  readonly summary: string;
}

/**
 * What webhooks tell of: each action of the audit trail, or of what time alone brings, and the event that it is to
 * receivers. An action that is not here is told to nobody.
 */
export const webhookEvents = {
  'api-key-created': { type: 'api_key.created', about: 'api-key', summary: 'An API key was created.' },
  'api-key-updated': {
    type: 'api_key.updated',
    about: 'api-key',
    summary: 'What an API key is called, may do, or how long it lasts was changed.',
  },
  'api-key-renamed': {
    type: 'api_key.updated',
    about: 'api-key',
    summary: 'An API key was renamed.',
  },
  'default-api-key-set': {
    type: 'api_key.updated',
    about: 'api-key',
    summary: 'An API key was made the default of its account.',
  },
  'api-key-rotated': {
    type: 'api_key.rotated',
    about: 'api-key',
    summary: 'An API key got a new secret.',
  },
  'api-key-deactivated': {
    type: 'api_key.deactivated',
    about: 'api-key',
    summary: 'An API key was ended.',
  },
  'api-key-leaked': {
    type: 'api_key.leaked',
    about: 'api-key',
    summary: 'An API key that works was found in public.',
  },
  'api-key-expiring': {
    type: 'api_key.expiring',
    about: 'api-key',
    summary: 'An active API key expires in 14 days, or in 3.',
  },
  'api-key-expired': {
    type: 'api_key.expired',
    about: 'api-key',
    summary: 'An active API key has expired.',
  },
  'api-key-quota-exhausted': {
    type: 'quota.exhausted',
    about: 'api-key',
    summary: 'A verification was refused for want of quota, for the first time in a period.',
  },
  'private-key-registered': {
    type: 'private_key.registered',
    about: 'account',
    summary: 'A private key was registered, in place of any that was there.',
  },
  'private-key-removed': {
    type: 'private_key.removed',
    about: 'account',
    summary: 'A private key was removed.',
  },
  'automation-settings-updated': {
    type: 'automation_settings.updated',
    about: 'account',
    summary: 'Automation settings were changed.',
  },
  'account-blocked': {
    type: 'account.blocked',
    about: 'account',
    summary: 'An operator has blocked an account: none of its API keys is good.',
  },
  'account-unblocked': {
    type: 'account.unblocked',
    about: 'account',
    summary: 'An operator has unblocked an account.',
  },
  'account-erased': {
    type: 'account.erased',
    about: 'account',
    summary: 'An operator has erased an account and all that belonged to it.',
  },
} as const satisfies Record<string, KindOfEvent>;

/** An action that webhooks tell of. */
export type WebhookAction = keyof typeof webhookEvents;

/** The types of events, each once. */
export const webhookTypes: readonly string[] = [
  ...new Set(Object.values(webhookEvents).map(({ type }) => type)),
];

/**
 * Whether a pattern stands for a type of event: `api_key.created` for itself, `api_key.*` for all that begin like it,
 * `*` for all.
 */
export const standsFor = (pattern: string, type: string): boolean =>
  pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;

/** All that an endpoint may ask for: types, and patterns that stand for some. One that is misspelt would tell nobody anything. */
export const webhookPatterns: readonly string[] = [
  ...new Set(['*', ...webhookTypes.map((type) => type.replace(/\..*/, '.*')), ...webhookTypes]),
];

/** How many endpoints there may be of the configuration, and added by operators: each takes up a few connections. */
export const mostWebhookEndpoints = 32;

/** The most characters of an endpoint's URL. */
export const longestWebhookUrl = 2000;

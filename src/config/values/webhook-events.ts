interface KindOfEvent {
  /** The event type's name in webhooks: `api_key.created`. */
  readonly type: string;
  /** A sentence that says when the service sends the event. */
  readonly summary: string;
  /** Whether the event is sent before others that wait: somebody lost a right, and receivers must not go on with it. */
  readonly isUrgent?: true;
}

/**
 * Maps actions to webhook events. An action comes from the audit trail, or the passing of time causes it. An action
 * that is missing here causes no event.
 */
export const webhookEvents: Readonly<Record<string, KindOfEvent>> = {
  'api-key-created': { type: 'api_key.created', summary: 'An API key was created.' },
  'api-key-updated': {
    type: 'api_key.updated',
    summary: 'An API key was changed, such as its permissions or expiry.',
  },
  'api-key-renamed': { type: 'api_key.updated', summary: 'An API key was renamed.' },
  'default-api-key-set': {
    type: 'api_key.updated',
    summary: 'An API key became the default of its account.',
  },
  'api-key-rotated': { type: 'api_key.rotated', summary: 'An API key got a new secret.' },
  'api-key-secret-ended': {
    type: 'api_key.secret_ended',
    summary: 'A previous secret of an API key was ended before its time.',
    isUrgent: true,
  },
  'api-key-deactivated': {
    type: 'api_key.deactivated',
    summary: 'An API key was deactivated.',
    isUrgent: true,
  },
  'api-key-paused': {
    type: 'api_key.paused',
    summary: 'An API key was paused. It is refused until it is resumed.',
    isUrgent: true,
  },
  'api-key-resumed': {
    type: 'api_key.resumed',
    summary: 'A paused API key was resumed.',
    isUrgent: true,
  },
  'api-key-leaked': {
    type: 'api_key.leaked',
    summary: 'An active API key was found in public.',
    isUrgent: true,
  },
  'api-key-expiring': {
    type: 'api_key.expiring',
    summary: 'An active API key expires in 14 days or in 3 days.',
  },
  'api-key-expired': { type: 'api_key.expired', summary: 'An active API key has expired.' },
  'api-key-quota-exhausted': {
    type: 'quota.exhausted',
    summary: 'The quota of an API key ran out: the first refused verification in a period.',
  },
  'private-key-registered': {
    type: 'private_key.registered',
    summary: 'A private key was registered or replaced.',
  },
  'private-key-removed': {
    type: 'private_key.removed',
    summary: 'A private key was deleted.',
    isUrgent: true,
  },
  'automation-settings-updated': {
    type: 'automation_settings.updated',
    summary: 'Automation settings were changed.',
  },
  'account-blocked': {
    type: 'account.blocked',
    summary: 'An operator blocked an account. All its API keys are refused.',
    isUrgent: true,
  },
  'account-unblocked': {
    type: 'account.unblocked',
    summary: 'An operator unblocked an account.',
    isUrgent: true,
  },
  'account-quota-exhausted': {
    type: 'account.quota_exhausted',
    summary:
      'The quota shared by all API keys of an account ran out: the first refused verification in a period.',
  },
  'account-entitlement-changed': {
    type: 'account.entitlement_changed',
    summary: 'The entitlement of an account was changed: its plan or its overrides.',
  },
  'account-erased': {
    type: 'account.erased',
    summary: 'An operator erased an account with everything it owned.',
    isUrgent: true,
  },
};

/** The subject of an event type: an API key of an account, or the account itself. */
export const subjectOf = (type: string): 'api-key' | 'account' =>
  /^(api_key|quota)[.]/.test(type) ? 'api-key' : 'account';

/** All event types, each once. */
export const webhookTypes: readonly string[] = [
  ...new Set(Object.values(webhookEvents).map(({ type }) => type)),
];

/** The event types that are sent before others. */
export const urgentWebhookTypes: readonly string[] = Object.values(webhookEvents)
  .filter(({ isUrgent }) => isUrgent)
  .map(({ type }) => type);

/**
 * Whether a pattern matches an event type: `api_key.created` matches itself, `api_key.*` all types with this
 * beginning, `*` all types.
 */
export const standsFor = (pattern: string, type: string): boolean =>
  pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;

/**
 * All event types and patterns that an endpoint may name. A misspelt one is refused, because it would never match an
 * event.
 */
export const webhookPatterns: readonly string[] = [
  ...new Set(['*', ...webhookTypes.map((type) => type.replace(/\..*/, '.*')), ...webhookTypes]),
];

/** The most webhook endpoints, configured and added by operators together, because each takes up a few connections. */
export const mostWebhookEndpoints = 32;

/** The greatest length of a webhook endpoint's URL, in characters. */
export const longestWebhookUrl = 2000;

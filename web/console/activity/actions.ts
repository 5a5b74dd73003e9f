/** The actions of a person in their own account. */
export const ownActions = [
  'api-key-created',
  'api-key-updated',
  'api-key-renamed',
  'api-key-rotated',
  'api-key-secret-ended',
  'api-key-paused',
  'api-key-resumed',
  'api-key-deactivated',
  'api-key-leaked',
  'default-api-key-set',
  'private-key-registered',
  'private-key-removed',
  'automation-settings-updated',
] as const;

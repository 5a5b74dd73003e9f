/** What happened, in words: with the name of the key that it was done to, where there is one. */
const sentences: Readonly<Record<string, (key: string) => string>> = {
  'account-created': () => 'Your account was created',
  'api-key-created': (key) => `${key} was created`,
  'api-key-deactivated': (key) => `${key} was deactivated`,
  'api-key-renamed': (key) => `${key} was renamed`,
  'api-key-rotated': (key) => `${key} got a new secret`,
  'default-api-key-set': (key) => `${key} became the default`,
  'private-key-registered': () => 'Your private key was registered',
  'private-key-removed': () => 'Your private key was removed',
  'automation-settings-updated': () => 'Your automation settings were changed',
};

interface DescribedEvent {
  readonly action: string;
  readonly targetId: number | null;
}

/**
 * An event as a sentence. An action that this page does not know yet reads as it is called.
 * @param names the names of API keys by their number
 */
export function describeEvent(
  { action, targetId }: DescribedEvent,
  names: ReadonlyMap<number, string | null>,
): string {
  const number = `API key ${targetId}`;
  const name = targetId === null ? null : names.get(targetId);
  return sentences[action]?.(name ? `${name} (${number})` : number) ?? action.replaceAll('-', ' ');
}

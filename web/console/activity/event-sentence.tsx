/** What was done to an API key, after its name. */
const doneToKey: Readonly<Record<string, string>> = {
  'api-key-created': 'was created',
  'api-key-deactivated': 'was deactivated',
  'api-key-renamed': 'was renamed',
  'api-key-rotated': 'got a new secret',
  'default-api-key-set': 'became the default',
};

const sentences: Readonly<Record<string, string>> = {
  'account-created': 'Your account was created',
  'private-key-registered': 'Your private key was registered',
  'private-key-removed': 'Your private key was removed',
  'automation-settings-updated': 'Your automation settings were changed',
};

interface EventSentenceProps {
  readonly action: string;
  readonly targetId: number | null;
  /** The names of API keys by their number. */
  readonly names: ReadonlyMap<number, string | null>;
}

/** What happened, in words. An action that this page does not know yet reads as it is called. */
export function EventSentence({ action, targetId, names }: EventSentenceProps) {
  const done = doneToKey[action];
  if (done === undefined) return sentences[action] ?? action.replaceAll('-', ' ');
  const number = `API key ${targetId}`;
  const name = targetId === null ? null : names.get(targetId);
  if (!name) return `${number} ${done}`;
  return (
    <>
      <bdi>{name}</bdi> ({number}) {done}
    </>
  );
}

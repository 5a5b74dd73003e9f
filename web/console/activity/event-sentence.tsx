/** What was done to an API key, after its name. */
const doneToKey: Readonly<Record<string, string>> = {
  'api-key-created': 'was created',
  'api-key-deactivated': 'was deactivated',
  'api-key-renamed': 'was renamed',
  'api-key-rotated': 'got a new secret',
  'default-api-key-set': 'became the default',
};

const sentences: Readonly<Record<string, string>> = {
  'account-blocked': 'Your account was blocked',
  'account-created': 'Your account was created',
  'account-unblocked': 'Your account was unblocked',
  'private-key-registered': 'Your private key was registered',
  'private-key-removed': 'Your private key was removed',
  'automation-settings-updated': 'Your automation settings were changed',
};

/** What an operator has done to somebody else, before the number of the account. */
const doneAsOperator: Readonly<Record<string, string>> = {
  'account-blocked': 'You blocked account',
  'account-erased': 'You erased account',
  'account-unblocked': 'You unblocked account',
  'api-key-deactivated': 'You deactivated an API key of account',
};

interface EventSentenceProps {
  /** The account that it was done to as an operator; null: the person's own. */
  readonly onUserId: number | null;
  readonly action: string;
  readonly targetId: number | null;
  /** The names of API keys by their number. */
  readonly names: ReadonlyMap<number, string | null>;
}

/** What happened, in words. An action that this page does not know yet reads as it is called. */
export function EventSentence({ action, targetId, onUserId, names }: EventSentenceProps) {
  if (onUserId !== null) return `${doneAsOperator[action] ?? action.replaceAll('-', ' ')} ${onUserId}`;
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

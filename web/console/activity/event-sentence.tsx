import type { NamedEvent } from './name-events.ts';

/** What was done to an API key, after its name. */
const doneToKey: Readonly<Record<string, string>> = {
  'api-key-created': 'was created',
  'api-key-deactivated': 'was deactivated',
  'api-key-renamed': 'was renamed',
  'api-key-rotated': 'got a new secret',
  'api-key-updated': 'was changed',
  'default-api-key-set': 'became the default',
};

const sentences: Readonly<Record<string, string>> = {
  'account-created': 'Your account was created',
  'private-key-registered': 'Your private key was registered',
  'private-key-removed': 'Your private key was removed',
  'automation-settings-updated': 'Your automation settings were changed',
};

/** What happened, in words. An action that this page does not know yet reads as it is called. */
export function EventSentence({ event }: { readonly event: NamedEvent }) {
  const { action, targetId, name, former, changes } = event;
  const endedItself = changes.some(({ field, to }) => field === 'deactivated_by' && to === 'key');
  const done = endedItself ? 'ended itself' : doneToKey[action];
  if (done === undefined || targetId === null) return sentences[action] ?? action.replaceAll('-', ' ');
  const renamed = action === 'api-key-renamed' && changes.find(({ field }) => field === 'name');
  if (renamed) return <Renamed id={targetId} from={renamed.from} to={renamed.to} />;
  const key = <KeyName id={targetId} name={name} />;
  if (former === null)
    return (
      <>
        {key} {done}
      </>
    );
  return (
    <>
      {key} replaced <KeyName id={former.id} name={former.name} /> as the default
    </>
  );
}

interface KeyNameProps {
  readonly id: number;
  readonly name: string | null;
}

const KeyName = ({ id, name }: KeyNameProps) =>
  name === null ? (
    `API key ${id}`
  ) : (
    <>
      <bdi>{name}</bdi> (API key {id})
    </>
  );

interface RenamedProps {
  readonly id: number;
  readonly from: unknown;
  readonly to: unknown;
}

const Renamed = ({ id, from, to }: RenamedProps) => {
  if (to === null)
    return (
      <>
        API key {id} is not called <bdi>{`${from}`}</bdi> any more
      </>
    );
  return (
    <>
      API key {id} was {from === null ? 'named' : 'renamed from '}
      {from !== null && <bdi>{`${from}`}</bdi>}
      {from === null ? ' ' : ' to '}
      <bdi>{`${to}`}</bdi>
    </>
  );
};

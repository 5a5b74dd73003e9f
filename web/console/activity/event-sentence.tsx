import { pageOf } from '../keys/api-key.ts';
import { describeLeak } from './change-words.ts';
import type { NamedEvent } from './name-events.ts';

/** What was done to an API key, after its name. */
const doneToKey: Readonly<Record<string, string>> = {
  'api-key-created': 'was created',
  'api-key-deactivated': 'was deactivated',
  'api-key-paused': 'was paused',
  'api-key-renamed': 'was renamed',
  'api-key-resumed': 'was resumed',
  'api-key-rotated': 'was rotated',
  'api-key-secret-ended': 'had a previous secret ended',
  'api-key-updated': 'was changed',
  'default-api-key-set': 'became the default key',
};

const sentences: Readonly<Record<string, string>> = {
  'account-blocked': 'Your account was blocked',
  'account-created': 'Your account was created',
  'account-entitlement-changed': 'Your plan was changed',
  'account-trail-read': 'Your activity was read',
  'account-unblocked': 'Your account was unblocked',
  'private-key-registered': 'Your private key was registered',
  'private-key-removed': 'Your private key was removed',
  'automation-settings-updated': 'Your automation settings were changed',
};

/** What an operator did to another account, before the id of that account. */
const doneAsOperator: Readonly<Record<string, string>> = {
  'account-blocked': 'You blocked account',
  'account-entitlement-changed': 'You changed the plan of account',
  'account-erased': 'You erased account',
  'account-trail-read': 'You read the activity of account',
  'account-unblocked': 'You unblocked account',
  'api-key-deactivated': 'You deactivated an API key of account',
  'api-key-paused': 'You paused an API key of account',
  'api-key-resumed': 'You resumed an API key of account',
};

/** What an operator did to a webhook endpoint, before its id. */
const doneToEndpoint: Readonly<Record<string, string>> = {
  'webhook-delivery-resent': 'You resent a delivery to webhook endpoint',
  'webhook-endpoint-created': 'You added webhook endpoint',
  'webhook-endpoint-removed': 'You removed webhook endpoint',
  'webhook-endpoint-updated': 'You changed webhook endpoint',
  'webhook-secret-rotated': 'You rotated the secret of webhook endpoint',
};

/** What was done to a key. It can depend on the actor and the changes too. */
function describeDeed(event: NamedEvent): string | undefined {
  const { action, actor } = event;
  // The only change that a key can make is to deactivate itself.
  if (actor === 'key') return 'deactivated itself';
  return action === 'api-key-leaked' ? describeLeak(event) : doneToKey[action];
}

interface EventSentenceProps {
  readonly event: NamedEvent;
  /** Whether an operator reads another person's trail. */
  readonly isOfOther: boolean;
}

const ofOther = (words: string): string => words.replace(/^Your\b/, 'Their').replace(/^You\b/, 'They');

/** An event about another account or a webhook endpoint, in words; undefined for any other event. */
function describeAct({ action, targetId, onUserId }: NamedEvent): string | undefined {
  if (onUserId !== null) return `${doneAsOperator[action] ?? action.replaceAll('-', ' ')} ${onUserId}`;
  return doneToEndpoint[action] && `${doneToEndpoint[action]} ${targetId}`;
}

/** What happened, in words. An action that this page does not know is shown by its name. */
export function EventSentence({ event, isOfOther }: EventSentenceProps) {
  const { action, targetId, name, former, changes } = event;
  const say = isOfOther ? ofOther : (words: string) => words;
  const act = describeAct(event);
  if (act !== undefined) return say(act);
  const done = describeDeed(event);
  if (done === undefined || targetId === null) return say(sentences[action] ?? action.replaceAll('-', ' '));
  const renamed = action === 'api-key-renamed' && changes.find(({ field }) => field === 'name');
  if (renamed) return <Renamed id={targetId} from={renamed.from} to={renamed.to} />;
  const key = <KeyName id={targetId} name={name} isLink={!isOfOther} />;
  if (former === null)
    return (
      <>
        {key} {done}
      </>
    );
  return (
    <>
      {key} replaced <KeyName id={former.id} name={former.name} isLink={!isOfOther} /> as the default key
    </>
  );
}

interface KeyNameProps {
  readonly id: number;
  readonly name: string | null;
  /** Whether it leads to the page of the key. */
  readonly isLink: boolean;
}

function KeyName({ id, name, isLink }: KeyNameProps) {
  const words = name === null ? `API key ${id}` : <bdi>{name}</bdi>;
  return (
    <>
      {isLink ? <a href={pageOf({ id })}>{words}</a> : words}
      {name !== null && ` (API key ${id})`}
    </>
  );
}

interface RenamedProps {
  readonly id: number;
  readonly from: unknown;
  readonly to: unknown;
}

const Renamed = ({ id, from, to }: RenamedProps) => {
  if (to === null)
    return (
      <>
        API key {id} is no longer named <bdi>{`${from}`}</bdi>
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

import type { ReactNode } from 'preact/compat';
import type { MessageId, Messages } from '../../messages/generated/messages.d.ts';
import type { Language } from '../../messages/language.ts';
import { pageOf } from '../keys/api-key.ts';
import { useHost, useLanguage } from '../ui/host.ts';
import { describeLeak } from './change-words.ts';
import type { NamedEvent } from './name-events.ts';

/** The ids of messages that need these values and no others. */
type Needing<Names extends string> = {
  [Id in MessageId]: [keyof Messages[Id], Names] extends [Names, keyof Messages[Id]] ? Id : never;
}[MessageId];

/** What was done to an API key. */
const doneToKey: Readonly<Record<string, Needing<'key'>>> = {
  'api-key-created': 'activity.key-created',
  'api-key-deactivated': 'activity.key-deactivated',
  'api-key-paused': 'activity.key-paused',
  'api-key-renamed': 'activity.key-renamed',
  'api-key-resumed': 'activity.key-resumed',
  'api-key-rotated': 'activity.key-rotated',
  'api-key-secret-ended': 'activity.key-secret-ended',
  'api-key-updated': 'activity.key-changed',
  'default-api-key-set': 'activity.key-became-default',
};

const sentences: Readonly<Record<string, Needing<'whose'>>> = {
  'account-blocked': 'activity.account-blocked',
  'account-created': 'activity.account-created',
  'account-entitlement-changed': 'activity.account-plan-changed',
  'account-trail-read': 'activity.account-trail-read',
  'account-unblocked': 'activity.account-unblocked',
  'audit-trail-read': 'activity.audit-trail-read',
  'private-key-registered': 'activity.private-key-registered',
  'private-key-removed': 'activity.private-key-removed',
  'automation-settings-updated': 'activity.automation-changed',
};

/** What an operator did to another account, with the id of that account. */
const doneAsOperator: Readonly<Record<string, Needing<'whose' | 'id'>>> = {
  'account-blocked': 'activity.blocked',
  'account-entitlement-changed': 'activity.changed-plan',
  'account-erased': 'activity.erased',
  'account-trail-read': 'activity.read-trail',
  'account-unblocked': 'activity.unblocked',
  'api-key-deactivated': 'activity.deactivated-key',
  'api-key-paused': 'activity.paused-key',
  'api-key-resumed': 'activity.resumed-key',
};

/** What an operator did to a webhook endpoint, with its id. */
const doneToEndpoint: Readonly<Record<string, Needing<'whose' | 'id'>>> = {
  'webhook-delivery-resent': 'activity.resent-delivery',
  'webhook-endpoint-created': 'activity.added-endpoint',
  'webhook-endpoint-removed': 'activity.removed-endpoint',
  'webhook-endpoint-updated': 'activity.changed-endpoint',
  'webhook-secret-rotated': 'activity.rotated-endpoint-secret',
};

/** What was done to a key. It can depend on the actor and the changes too. */
function describeDeed(event: NamedEvent): Needing<'key'> | undefined {
  const { action, actor } = event;
  // The only change that a key can make is to deactivate itself.
  if (actor === 'key') return 'activity.key-deactivated-itself';
  return action === 'api-key-leaked' ? describeLeak(event) : doneToKey[action];
}

/** Whose trail it is, as the messages call it: a person's own, or another account's. */
type Whose = 'own' | 'other';

/** Whether somebody did this for an organisation. What an operator does to a key always has a reason. */
export const isForOrganization = ({ onUserId, reason, action }: NamedEvent): boolean =>
  onUserId !== null && !(action in doneAsOperator && (reason !== null || !(action in doneToKey)));

/** An action in words that is no sentence about a key. One that this page does not know has its name. */
function describeAct({ text }: Language, event: NamedEvent, whose: Whose): string {
  const { action, targetId, onUserId } = event;
  const name = action.replaceAll('-', ' ');
  if (onUserId !== null && !isForOrganization(event)) {
    const done = doneAsOperator[action];
    return done ? text(done, { whose, id: onUserId }) : `${name} ${onUserId}`;
  }
  const done = doneToEndpoint[action];
  if (done) return text(done, { whose, id: `${targetId}` });
  const sentence = sentences[action];
  return sentence ? text(sentence, { whose: onUserId === null ? whose : 'other' }) : name;
}

interface EventSentenceProps {
  readonly event: NamedEvent;
  /** Whether an operator reads another person's trail. */
  readonly isOfOther: boolean;
  /** Where the page of a key is; undefined: only the pages of the person's own keys are known. */
  readonly linkTo?: ((keyId: number) => string) | undefined;
}

/** What happened, in words. An action that this page does not know is shown by its name. */
export function EventSentence({ event, isOfOther, linkTo }: EventSentenceProps) {
  const language = useLanguage();
  const { organization } = useHost().useAccount();
  const { targetId, onUserId } = event;
  const isOwn = onUserId === null;
  const done = isOwn || isForOrganization(event) ? describeDeed(event) : undefined;
  if (done === undefined || targetId === null)
    return describeAct(language, event, isOfOther || organization !== undefined ? 'other' : 'own');
  const toPage = linkTo ?? (isOfOther || !isOwn ? undefined : (id: number) => pageOf({ id }));
  return <Deed event={event} done={done} keyId={targetId} toPage={toPage} />;
}

interface DeedProps {
  readonly event: NamedEvent;
  readonly done: Needing<'key'>;
  readonly keyId: number;
  readonly toPage: ((keyId: number) => string) | undefined;
}

/** What was done to a key. */
function Deed({ event: { action, name, former, changes }, done, keyId, toPage }: DeedProps) {
  const { rich } = useLanguage();
  const renamed = action === 'api-key-renamed' && changes.find(({ field }) => field === 'name');
  if (renamed) return <Renamed id={keyId} from={renamed.from} to={renamed.to} />;
  const key = <KeyName id={keyId} name={name} page={toPage?.(keyId)} />;
  if (former === null) return rich(done, { key });
  return rich('activity.replaced-default', {
    key,
    former: <KeyName id={former.id} name={former.name} page={toPage?.(former.id)} />,
  });
}

interface KeyNameProps {
  readonly id: number;
  readonly name: string | null;
  /** Where the page of the key is. */
  readonly page: string | undefined;
}

function KeyName({ id, name, page }: KeyNameProps) {
  const { text, rich } = useLanguage();
  const link = (content: ReactNode) => (page === undefined ? content : <a href={page}>{content}</a>);
  if (name === null) return link(text('activity.key', { id }));
  return rich('activity.key-with-name', { id, name: <bdi>{name}</bdi>, link });
}

interface RenamedProps {
  readonly id: number;
  readonly from: unknown;
  readonly to: unknown;
}

function Renamed({ id, ...names }: RenamedProps) {
  const { rich } = useLanguage();
  const from = <bdi>{`${names.from}`}</bdi>;
  const to = <bdi>{`${names.to}`}</bdi>;
  if (names.to === null) return rich('activity.lost-name', { id, from });
  return names.from === null
    ? rich('activity.got-name', { id, to })
    : rich('activity.renamed', { id, from, to });
}

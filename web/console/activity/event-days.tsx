import type { ComponentType } from 'preact/compat';
import type { MessageId } from '../../messages/generated/messages.d.ts';
import { Badge } from '../ui/badge.tsx';
import { Heading } from '../ui/heading.tsx';
import { useHost, useLanguage, useMayChange } from '../ui/host.ts';
import { useNow } from '../ui/use-now.ts';
import { EventChanges } from './event-changes.tsx';
import { EventSentence, isForOrganization } from './event-sentence.tsx';
import type { AuditEvent, NamedEvent } from './name-events.ts';

interface EventsProps<Event extends NamedEvent> {
  readonly events: readonly Event[];
  /** Whether an operator reads another person's trail. */
  readonly isOfOther?: boolean;
  /** For events of several accounts: says whose each is and who made the change, in place of a badge. */
  readonly Origin?: ComponentType<{ readonly event: Event }>;
  /** Where the page of a key is, for an operator. */
  readonly linkTo?: (event: Event, keyId: number) => string;
}

/** The id of an event on the page. */
export const eventId = ({ id }: AuditEvent): string => `event-${id}`;

/** Events, grouped by day. */
export function EventDays<Event extends NamedEvent>(props: EventsProps<Event>) {
  const { events, isOfOther = false } = props;
  const now = useNow();
  const { text, rich, dayOf } = useLanguage();
  const mayChange = useMayChange();
  if (events.length === 0 && (isOfOther || !mayChange))
    return <p className="hint">{text('activity.none-yet-of-other')}</p>;
  if (events.length === 0)
    return (
      <div className="empty">
        <Heading level={2}>{text('activity.none-yet')}</Heading>
        <p>{rich('activity.start', { link: (content) => <a href="#keys">{content}</a> })}</p>
      </div>
    );
  const days = Map.groupBy(events, ({ createdAt }) => dayOf(new Date(createdAt), now));
  return [...days].map(([day, ofDay]) => (
    <section key={day} className="day">
      <Heading level={2}>{day}</Heading>
      <Events {...props} events={ofDay} />
    </section>
  ));
}

const actors = {
  operator: 'activity.by-operator',
  provider: 'activity.by-provider',
  scanner: 'activity.by-scanner',
} as const satisfies Record<string, MessageId>;

const isKnown = (actor: string): actor is keyof typeof actors => Object.hasOwn(actors, actor);

/** Who made the change, if it was not the owner, or for whom, if it was not for themselves. */
function Actor({ event }: { readonly event: NamedEvent }) {
  const { actor, actorId, server, onUserId } = event;
  const { text } = useLanguage();
  const { ownId, organizationOf } = useHost().useAccount();
  const badge = (content: string) => <Badge tone="muted">{content}</Badge>;
  // Only operators are told the name.
  if (server !== null) return badge(text('activity.by-server', { server }));
  if (actor === 'member')
    return badge(
      actorId === ownId ? text('activity.by-you') : text('activity.by-member', { id: `${actorId}` }),
    );
  if (isKnown(actor)) return badge(text(actors[actor]));
  if (onUserId === null || !isForOrganization(event)) return null;
  const account = organizationOf(onUserId) ?? text('activity.account', { id: onUserId });
  return badge(text('activity.for', { account }));
}

function Events<Event extends NamedEvent>({ events, ...rest }: EventsProps<Event>) {
  return (
    <ul className="events">
      {events.map((event) => (
        <EventItem key={event.id} event={event} {...rest} />
      ))}
    </ul>
  );
}

interface EventItemProps<Event extends NamedEvent> extends Omit<EventsProps<Event>, 'events'> {
  readonly event: Event;
}

function EventItem<Event extends NamedEvent>(props: EventItemProps<Event>) {
  const { event, isOfOther = false, Origin, linkTo } = props;
  const { text, rich, timeOfDay } = useLanguage();
  return (
    <li>
      <time dateTime={event.createdAt}>{timeOfDay(new Date(event.createdAt))}</time>
      <p id={eventId(event)} tabIndex={-1}>
        <EventSentence
          event={event}
          isOfOther={isOfOther}
          linkTo={linkTo && ((keyId) => linkTo(event, keyId))}
        />{' '}
        {!Origin && <Actor event={event} />}
      </p>
      {Origin && <Origin event={event} />}
      <EventChanges event={event} />
      {event.reason !== null && (
        <p className="hint">{rich('activity.reason-given', { reason: <q>{event.reason}</q> })}</p>
      )}
      <p className="hint">
        {event.address !== null && text('activity.from-address', { address: event.address })}
        <span className="request">
          {event.address !== null && ' · '}
          {rich('activity.request-id', { id: <code>{event.requestId}</code> })}
        </span>
      </p>
    </li>
  );
}

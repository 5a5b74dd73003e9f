import { dayOf, timeOfDay } from '../../shared/times.ts';
import { Badge } from '../ui/badge.tsx';
import { Heading } from '../ui/heading.tsx';
import { useNow } from '../ui/use-now.ts';
import { EventChanges } from './event-changes.tsx';
import { EventSentence } from './event-sentence.tsx';
import type { AuditEvent, NamedEvent } from './name-events.ts';

interface EventsProps {
  readonly events: readonly NamedEvent[];
  /** Whether an operator reads another person's trail. */
  readonly isOfOther?: boolean;
}

/** The id of an event on the page. */
export const eventId = ({ id }: AuditEvent): string => `event-${id}`;

/** Events, grouped by day. */
export function EventDays({ events, isOfOther = false }: EventsProps) {
  const now = useNow();
  if (events.length === 0 && isOfOther) return <p className="hint">No changes yet.</p>;
  if (events.length === 0)
    return (
      <div className="empty">
        <Heading level={2}>No changes yet</Heading>
        <p>
          Your changes appear here. <a href="#keys">Create an API key</a> to start.
        </p>
      </div>
    );
  const days = Map.groupBy(events, ({ createdAt }) => dayOf(new Date(createdAt), now));
  return [...days].map(([day, ofDay]) => (
    <section key={day} className="day">
      <Heading level={2}>{day}</Heading>
      <Events events={ofDay} isOfOther={isOfOther} />
    </section>
  ));
}

const actors: Readonly<Record<string, string>> = {
  operator: 'By an operator',
  provider: 'By the provider',
  scanner: 'By a scanner',
};

/** Who made the change, if it was not the owner. */
function Actor({ event: { actor, server } }: { readonly event: AuditEvent }) {
  // Only operators are told the name.
  const words = server === null ? actors[actor] : `By the server ${server}`;
  return words === undefined ? null : <Badge tone="muted">{words}</Badge>;
}

const Events = ({ events, isOfOther = false }: EventsProps) => (
  <ul className="events">
    {events.map((event) => (
      <li key={event.id}>
        <time dateTime={event.createdAt}>{timeOfDay(new Date(event.createdAt))}</time>
        <p id={eventId(event)} tabIndex={-1}>
          <EventSentence event={event} isOfOther={isOfOther} /> <Actor event={event} />
        </p>
        <EventChanges event={event} />
        {event.reason !== null && (
          <p className="hint">
            Reason: <q>{event.reason}</q>
          </p>
        )}
        <p className="hint">
          {event.address !== null && `From ${event.address}`}
          <span className="request">
            {event.address !== null && ' · '}Request ID <code>{event.requestId}</code>
          </span>
        </p>
      </li>
    ))}
  </ul>
);

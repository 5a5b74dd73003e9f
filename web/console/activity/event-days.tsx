import type { ResultOf } from 'gql.tada';
import { dayOf, timeOfDay } from '../../shared/times.ts';
import { Badge } from '../ui/badge.tsx';
import { useNow } from '../ui/use-now.ts';
import type { auditEventsQuery } from './documents.ts';
import { EventSentence } from './event-sentence.tsx';

type AuditEvent = ResultOf<typeof auditEventsQuery>['auditEvents']['edges'][number]['node'];

interface EventsProps {
  readonly events: readonly AuditEvent[];
  /** The names of API keys by their number. */
  readonly names: ReadonlyMap<number, string | null>;
}

/** The id of an event on the page. */
export const eventId = ({ id }: AuditEvent): string => `event-${id}`;

/** Events under the days that they were on. */
export function EventDays({ events, names }: EventsProps) {
  const now = useNow();
  if (events.length === 0)
    return (
      <div className="empty">
        <h2>Nothing was changed yet</h2>
        <p>
          What you do here shows up on this page. <a href="#keys">Create an API key</a> to begin with.
        </p>
      </div>
    );
  const days = Map.groupBy(events, ({ createdAt }) => dayOf(new Date(createdAt), now));
  return [...days].map(([day, ofDay]) => (
    <section key={day} className="day">
      <h2>{day}</h2>
      <Events events={ofDay} names={names} />
    </section>
  ));
}

const Events = ({ events, names }: EventsProps) => (
  <ul className="events">
    {events.map((event) => (
      <li key={event.id}>
        <time dateTime={event.createdAt}>{timeOfDay(new Date(event.createdAt))}</time>
        <p id={eventId(event)} tabIndex={-1}>
          <EventSentence {...event} names={names} />
          {event.actor !== 'self' && <ByWhom actor={event.actor} />}
        </p>
        {event.reason !== null && (
          <p className="hint">
            Because: <q>{event.reason}</q>
          </p>
        )}
        <p className="hint">
          {event.address !== null && `From ${event.address}`}
          <span className="request">
            {event.address !== null && ' · '}Request <code>{event.requestId}</code>
          </span>
        </p>
      </li>
    ))}
  </ul>
);

const actors: Readonly<Record<string, string>> = { operator: 'By an operator', key: 'By the key itself' };

/** Who did it, where it was not the person. */
const ByWhom = ({ actor }: { readonly actor: string }) => (
  <>
    {' '}
    <Badge tone="muted">{actors[actor] ?? `By ${actor}`}</Badge>
  </>
);

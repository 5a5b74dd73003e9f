import { useQuery } from '@tanstack/preact-query';
import { auditEventsQuery } from '../activity/documents.ts';
import { EventDays } from '../activity/event-days.tsx';
import { nameEvents } from '../activity/name-events.ts';
import type { ApiKey } from '../keys/api-key.ts';
import { Heading } from '../ui/heading.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { QueryContent } from '../ui/query-content.tsx';

/** How many events the page shows. */
const shown = 5;

/** What was last changed on a key. */
export function KeyHistory({ apiKey: { id, name } }: { readonly apiKey: ApiKey }) {
  const { request, hasViews } = useHost();
  const { text } = useLanguage();
  const query = useQuery({
    queryKey: ['audit-events', 'latest', id],
    queryFn: ({ signal }) => request(auditEventsQuery, { keyId: id, first: shown }, { signal }),
  });
  return (
    <section className="key-section" part="section" aria-labelledby="key-history">
      <header>
        <Heading level={2} id="key-history">
          {text('key.history')}
        </Heading>
        {hasViews && <a href={`#activity?key=${id}`}>{text('key.all-activity')}</a>}
      </header>
      <QueryContent query={query} what={text('key.history-loading')}>
        {({ auditEvents: { edges } }) => (
          <EventDays
            events={nameEvents(
              edges.map(({ node }) => node),
              new Map([[id, name]]),
            )}
          />
        )}
      </QueryContent>
    </section>
  );
}

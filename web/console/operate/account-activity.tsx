import { useInfiniteQuery } from '@tanstack/preact-query';
import { useState } from 'preact/compat';
import { EventDays, eventId } from '../activity/event-days.tsx';
import { nameEvents } from '../activity/name-events.ts';
import { Button } from '../ui/button.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import type { Account } from './account.tsx';
import { accountAuditEventsQuery } from './documents.ts';
import { trailLink } from './trail/trail-filter.ts';

const pageSize = 25;

/** The audit trail of an account. It is fetched only on request, because each read is recorded. */
export function AccountActivity({ account: { id } }: { readonly account: Account }) {
  const { text } = useLanguage();
  const [isWanted, setWanted] = useState(false);
  return (
    <section className="account-part">
      <h2>{text('operate.activity')}</h2>
      <p>
        <a href={trailLink({ user: id })}>{text('operate.trail-of-account')}</a>
      </p>
      {isWanted ? (
        <Trail id={id} />
      ) : (
        <>
          <p className="hint">{text('operate.activity-recorded')}</p>
          <div>
            <Button onClick={() => setWanted(true)}>{text('operate.show-activity')}</Button>
          </div>
        </>
      )}
    </section>
  );
}

function Trail({ id }: { readonly id: number }) {
  const { request } = useHost();
  const { text } = useLanguage();
  const list = useInfiniteQuery({
    queryKey: ['account-audit-events', id],
    queryFn: ({ pageParam, signal }) =>
      request(accountAuditEventsQuery, { id, first: pageSize, after: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ accountAuditEvents: { pageInfo } }) =>
      pageInfo.hasNextPage ? pageInfo.endCursor : null,
    // Each read adds an event to the trail.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <QueryContent query={list} what={text('operate.activity-loaded')}>
      {({ pages }) => {
        const events = pages.flatMap(({ accountAuditEvents }) =>
          accountAuditEvents.edges.map(({ node }) => node),
        );
        return (
          <>
            <EventDays events={nameEvents(events, new Map())} isOfOther />
            <ShowMore
              list={list}
              count={events.length}
              idOf={(index) => events[index] && eventId(events[index])}
            />
          </>
        );
      }}
    </QueryContent>
  );
}

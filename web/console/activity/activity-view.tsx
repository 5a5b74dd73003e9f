import { useInfiniteQuery } from '@tanstack/preact-query';
import { idIn } from '../keys/api-key.ts';
import { useApiKeys } from '../keys/use-api-keys.ts';
import { useHost, useLanguage } from '../ui/host.ts';
import { QueryContent } from '../ui/query-content.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import { usePlace } from '../ui/use-place.ts';
import { View } from '../ui/view.tsx';
import { ActivityFilter } from './activity-filter.tsx';
import { auditEventsQuery } from './documents.ts';
import { EventDays, eventId } from './event-days.tsx';
import { nameEvents } from './name-events.ts';

const pageSize = 25;

/** The changes to the person's account, newest first. */
export function ActivityView() {
  const { request } = useHost();
  const { text } = useLanguage();
  const { params } = usePlace();
  const keyId = idIn(params.get('key') ?? '') ?? null;
  const action = params.get('action');
  const list = useInfiniteQuery({
    queryKey: ['audit-events', keyId, action],
    queryFn: ({ pageParam, signal }) =>
      request(auditEventsQuery, { first: pageSize, after: pageParam, keyId, action }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ auditEvents: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  });
  // The list has the current name of each key; the events since then tell its earlier names.
  const keys = useApiKeys().data?.pages.flatMap(({ apiKeys }) => apiKeys.edges) ?? [];
  const names = new Map(keys.map(({ node }) => [node.id, node.name]));
  return (
    <View title={text('activity.title')} lead={text('activity.lead')}>
      <ActivityFilter keyId={keyId} action={action} names={names} />
      <QueryContent query={list} what={text('activity.loaded')}>
        {({ pages }) => {
          const events = pages.flatMap(({ auditEvents }) => auditEvents.edges.map(({ node }) => node));
          return (
            <>
              {events.length === 0 && (keyId ?? action) !== null ? (
                <p className="empty">{text('activity.no-match')}</p>
              ) : (
                <EventDays events={nameEvents(events, names)} />
              )}
              <ShowMore
                list={list}
                count={events.length}
                idOf={(index) => events[index] && eventId(events[index])}
              />
            </>
          );
        }}
      </QueryContent>
    </View>
  );
}

import { useInfiniteQuery } from '@tanstack/preact-query';
import { EventDays, eventId } from '../../activity/event-days.tsx';
import { nameEvents } from '../../activity/name-events.ts';
import { useHost, useLanguage } from '../../ui/host.ts';
import { QueryContent } from '../../ui/query-content.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { usePlace } from '../../ui/use-place.ts';
import { View } from '../../ui/view.tsx';
import { accountKeyLink, accountLink } from '../account.tsx';
import { auditTrailQuery } from '../documents.ts';
import { type EventProps, originOf } from './event-origin.tsx';
import { TrailDownload } from './trail-download.tsx';
import { readFilter, type TrailFilter, toArguments, trailLink } from './trail-filter.ts';
import { TrailForm } from './trail-form.tsx';

const pageSize = 25;

/** An operator gets from an event to the pages of its account and its key. */
const toPages = {
  Origin: originOf(accountLink),
  linkTo: ({ userId, onUserId }: EventProps['event'], keyId: number) =>
    accountKeyLink(onUserId ?? userId, keyId),
};

/** An auditor, who may not see these pages, gets to all events of the account or of the key. */
const toEvents = {
  Origin: originOf((id) => trailLink({ user: id })),
  linkTo: (_: EventProps['event'], keyId: number) => trailLink({ key: keyId }),
};

interface TrailViewProps {
  /** False for an auditor. */
  readonly isOperator: boolean;
}

/** The audit events of all accounts, newest first. The filter is in the address. */
export function TrailView({ isOperator }: TrailViewProps) {
  const { text } = useLanguage();
  const { filter, wrong } = readFilter(usePlace().params);
  const list = useTrail(filter);
  return (
    <View
      title={text('operate.trail')}
      lead={text('operate.trail-lead')}
      back={isOperator && <a href="#operate">{text('operate.title')}</a>}
    >
      <TrailForm filter={filter} onAgain={() => void list.refetch()} />
      {wrong.length > 0 && (
        <p className="warning" role="status">
          {text('operate.trail-wrong', {
            names: wrong.map((name) => text(`operate.trail-field-${name}`)).join(', '),
          })}
        </p>
      )}
      <TrailDownload filter={filter} />
      <TrailEvents list={list} links={isOperator ? toPages : toEvents} />
    </View>
  );
}

/** Fetches the events. Each read is recorded, so nothing is read only because the person comes back to the window. */
function useTrail(filter: TrailFilter) {
  const { request } = useHost();
  return useInfiniteQuery({
    queryKey: ['audit-trail', filter],
    queryFn: ({ pageParam, signal }) =>
      request(auditTrailQuery, { ...toArguments(filter), first: pageSize, after: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ auditTrail: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

interface TrailEventsProps {
  readonly list: ReturnType<typeof useTrail>;
  readonly links: typeof toPages;
}

function TrailEvents({ list, links }: TrailEventsProps) {
  const { text } = useLanguage();
  return (
    <QueryContent query={list} what={text('operate.trail-loaded')}>
      {({ pages }) => {
        const events = pages.flatMap(({ auditTrail }) => auditTrail.edges.map(({ node }) => node));
        if (events.length === 0) return <p className="empty">{text('operate.trail-none')}</p>;
        return (
          <>
            <EventDays events={nameEvents(events, new Map())} isOfOther {...links} />
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

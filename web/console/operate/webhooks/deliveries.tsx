import { useInfiniteQuery } from '@tanstack/preact-query';
import type { ResultOf } from 'gql.tada';
import { useState } from 'preact/compat';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useHost } from '../../ui/host.ts';
import { Moment } from '../../ui/moment.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { QueryContent } from '../../ui/query-content.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { useAction } from '../../ui/use-action.ts';
import { usePlace } from '../../ui/use-place.ts';
import { accountLink } from '../account.tsx';
import { DeliveryMessage } from './delivery-message.tsx';
import { resendWebhookDeliveryMutation, webhookDeliveriesQuery } from './documents.ts';
import type { WebhookEndpoint } from './endpoint-card.tsx';

type Delivery = ResultOf<typeof webhookDeliveriesQuery>['webhookDeliveries']['edges'][number]['node'];

const pageSize = 25;

const states = [
  ['All', null],
  ['Waiting', 'WAITING'],
  ['Delivered', 'DELIVERED'],
  ['Given up', 'PARKED'],
] as const;

/** The state that the address names; null for any. */
const stateIn = (params: URLSearchParams) =>
  states.find(([, state]) => state?.toLowerCase() === params.get('state'))?.[1] ?? null;

const headingId = ({ id }: Delivery): string => `delivery-${id}`;

/** The deliveries to a webhook endpoint, newest first. */
export function WebhookDeliveries({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { request, setParams } = useHost();
  const { id } = endpoint;
  const state = stateIn(usePlace().params);
  const list = useInfiniteQuery({
    queryKey: ['webhook-deliveries', id, state],
    queryFn: ({ pageParam, signal }) =>
      request(
        webhookDeliveriesQuery,
        { endpointId: id, state, first: pageSize, after: pageParam },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ webhookDeliveries: { pageInfo } }) =>
      pageInfo.hasNextPage ? pageInfo.endCursor : null,
  });
  return (
    <section className="account-keys account-part">
      <h2>Deliveries</h2>
      <fieldset className="segments">
        <legend className="visually-hidden">Show</legend>
        {states.map(([label, each]) => (
          <label key={label}>
            <input
              type="radio"
              name="state"
              checked={each === state}
              onChange={() => setParams({ state: each?.toLowerCase() })}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <QueryContent query={list} what="deliveries">
        {({ pages }) => {
          const deliveries = pages.flatMap(({ webhookDeliveries }) =>
            webhookDeliveries.edges.map(({ node }) => node),
          );
          if (deliveries.length === 0)
            return (
              <p className="empty">{state === null ? 'No recent deliveries.' : 'No such deliveries.'}</p>
            );
          return (
            <>
              <ul className="cards" aria-label="Deliveries">
                {deliveries.map((delivery) => (
                  <DeliveryCard key={delivery.id} delivery={delivery} endpoint={endpoint} />
                ))}
              </ul>
              <ShowMore
                list={list}
                count={deliveries.length}
                idOf={(index) => deliveries[index] && headingId(deliveries[index])}
              />
            </>
          );
        }}
      </QueryContent>
    </section>
  );
}

const badges = {
  WAITING: <Badge tone="accent">Waiting</Badge>,
  DELIVERED: <Badge tone="good">Delivered</Badge>,
  PARKED: <Badge tone="warn">Given up</Badge>,
} as const;

interface DeliveryCardProps {
  readonly delivery: Delivery;
  readonly endpoint: WebhookEndpoint;
}

function DeliveryCard({ delivery, endpoint: { id: endpointId, pausedAt, removedAt } }: DeliveryCardProps) {
  const { request, refresh, notify } = useHost();
  const { id, type, userId, state, createdAt, attempts, lastOutcome, nextAttemptAt } = delivery;
  const action = useAction();
  const [isShown, setIsShown] = useState(false);
  const resend = async () => {
    await request(resendWebhookDeliveryMutation, { deliveryId: id });
    await refresh();
    notify(
      pausedAt === null
        ? `Delivery ${id} will be sent again.`
        : `Delivery ${id} was queued. The endpoint is paused.`,
    );
  };
  return (
    <li className="card">
      <div className="card-title">
        <h3 id={headingId(delivery)} tabIndex={-1}>
          {type}
        </h3>
        {badges[state]}
      </div>
      <p className="hint">
        ID {id}, about <a href={accountLink(userId)}>account {userId}</a>
      </p>
      <Facts>
        <Fact name="Created">
          <Moment at={createdAt} />
        </Fact>
        <Fact name="Attempts">
          {lastOutcome === null ? attempts : `${attempts}, last result: ${lastOutcome}`}
        </Fact>
        {nextAttemptAt !== null && (
          <Fact name="Next attempt">
            <Moment at={nextAttemptAt} />
          </Fact>
        )}
      </Facts>
      <ProblemNote problem={action.problem} />
      <div className="card-actions">
        <Button look="quiet" aria-expanded={isShown} onClick={() => setIsShown(!isShown)}>
          Message<span className="visually-hidden"> of delivery {id}</span>
        </Button>
        {removedAt === null && (
          <Button look="quiet" pending={action.pending} onClick={() => void action.run(resend)}>
            Resend<span className="visually-hidden"> delivery {id}</span>
          </Button>
        )}
      </div>
      {isShown && <DeliveryMessage id={id} endpointId={endpointId} />}
    </li>
  );
}

import { useInfiniteQuery } from '@tanstack/preact-query';
import type { ResultOf } from 'gql.tada';
import { type ReactNode, useState } from 'preact/compat';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useHost, useLanguage } from '../../ui/host.ts';
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
  ['all', null],
  ['waiting', 'WAITING'],
  ['delivered', 'DELIVERED'],
  ['parked', 'PARKED'],
] as const;

/** The state that the address names; null for any. */
const stateIn = (params: URLSearchParams) =>
  states.find(([, state]) => state?.toLowerCase() === params.get('state'))?.[1] ?? null;

const headingId = ({ id }: Delivery): string => `delivery-${id}`;

/** The deliveries to a webhook endpoint, newest first. */
export function WebhookDeliveries({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { request } = useHost();
  const { text } = useLanguage();
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
      <h2>{text('operate.deliveries')}</h2>
      <StateFilter state={state} />
      <QueryContent query={list} what={text('operate.deliveries-loaded')}>
        {({ pages }) => {
          const deliveries = pages.flatMap(({ webhookDeliveries }) =>
            webhookDeliveries.edges.map(({ node }) => node),
          );
          if (deliveries.length === 0)
            return (
              <p className="empty">
                {text(state === null ? 'operate.no-deliveries' : 'operate.no-such-deliveries')}
              </p>
            );
          return (
            <>
              <ul className="cards" aria-label={text('operate.deliveries-list')}>
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

type State = ReturnType<typeof stateIn>;

/** Chooses the state of the deliveries that are listed. */
function StateFilter({ state }: { readonly state: State }) {
  const { setParams } = useHost();
  const { text } = useLanguage();
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{text('operate.delivery-filter')}</legend>
      {states.map(([name, each]) => (
        <label key={name}>
          <input
            type="radio"
            name="state"
            checked={each === state}
            onChange={() => setParams({ state: each?.toLowerCase() })}
          />
          <span>{text(`operate.delivery-filter-${name}`)}</span>
        </label>
      ))}
    </fieldset>
  );
}

const badges = {
  WAITING: ['accent', 'operate.delivery-waiting'],
  DELIVERED: ['good', 'operate.delivery-delivered'],
  PARKED: ['warn', 'operate.delivery-parked'],
} as const;

/** The state of a delivery in a word. */
function StateBadge({ state }: Pick<Delivery, 'state'>) {
  const { text } = useLanguage();
  const [tone, id] = badges[state];
  return <Badge tone={tone}>{text(id)}</Badge>;
}

interface DeliveryCardProps {
  readonly delivery: Delivery;
  readonly endpoint: WebhookEndpoint;
}

function DeliveryCard({ delivery, endpoint: { id: endpointId, pausedAt, removedAt } }: DeliveryCardProps) {
  const { request, refresh, notify } = useHost();
  const { text, rich } = useLanguage();
  const { id, type, state } = delivery;
  const action = useAction();
  const [isShown, setIsShown] = useState(false);
  const resend = async () => {
    await request(resendWebhookDeliveryMutation, { deliveryId: id });
    await refresh();
    notify(text(pausedAt === null ? 'operate.resent' : 'operate.resent-paused', { id }));
  };
  return (
    <li className="card">
      <div className="card-title">
        <h3 id={headingId(delivery)} tabIndex={-1}>
          {type}
        </h3>
        <StateBadge state={state} />
      </div>
      <DeliveryFacts {...delivery} />
      <ProblemNote problem={action.problem} />
      <div className="card-actions">
        <Button look="quiet" aria-expanded={isShown} onClick={() => setIsShown(!isShown)}>
          {rich('operate.message', { id, hidden })}
        </Button>
        {removedAt === null && (
          <Button look="quiet" pending={action.pending} onClick={() => void action.run(resend)}>
            {rich('operate.resend', { id, hidden })}
          </Button>
        )}
      </div>
      {isShown && <DeliveryMessage id={id} endpointId={endpointId} />}
    </li>
  );
}

/** The rest of a button's name, for a screen reader. */
const hidden = (content: ReactNode) => <span className="visually-hidden">{content}</span>;

function DeliveryFacts({ id, userId, createdAt, attempts, lastOutcome, nextAttemptAt }: Delivery) {
  const { text, rich, number } = useLanguage();
  const link = (content: ReactNode) => <a href={accountLink(userId)}>{content}</a>;
  return (
    <>
      <p className="hint">{rich('operate.delivery-about', { id, account: userId, link })}</p>
      <Facts>
        <Fact name={text('operate.delivery-created')}>
          <Moment at={createdAt} />
        </Fact>
        <Fact name={text('operate.attempts')}>
          {lastOutcome === null
            ? number(attempts)
            : text('operate.attempts-made', { count: attempts, outcome: lastOutcome })}
        </Fact>
        {nextAttemptAt !== null && (
          <Fact name={text('operate.next-attempt')}>
            <Moment at={nextAttemptAt} />
          </Fact>
        )}
      </Facts>
    </>
  );
}

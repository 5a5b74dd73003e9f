import type { ResultOf } from 'gql.tada';
import type { ReactNode } from 'preact/compat';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useHost } from '../../ui/host.ts';
import { Moment } from '../../ui/moment.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useNow } from '../../ui/use-now.ts';
import { pauseWebhookEndpointMutation, type webhookEndpointQuery } from './documents.ts';

/** A webhook endpoint as an operator sees it. */
export type WebhookEndpoint = ResultOf<typeof webhookEndpointQuery>['webhookEndpoint'];

interface WebhookEndpointCardProps {
  readonly endpoint: WebhookEndpoint;
  /** Its heading. */
  readonly children: ReactNode;
  /** Buttons beside the one that pauses it. */
  readonly actions?: ReactNode;
}

/** A webhook endpoint: its state, and the button that pauses or resumes it. */
export function WebhookEndpointCard({ endpoint, children, actions }: WebhookEndpointCardProps) {
  const now = useNow();
  return (
    <>
      <div className="card-title">
        {children}
        <EndpointBadge {...endpoint} />
      </div>
      <p className="hint">
        ID {endpoint.id}, {endpoint.isConfigured ? 'from the configuration' : 'added by an operator'}.
      </p>
      <Facts>
        <Fact name="Events">{endpoint.events.join(', ')}</Fact>
        {endpoint.headerNames.length > 0 && <Fact name="Headers">{endpoint.headerNames.join(', ')}</Fact>}
        <Fact name="Waiting">{endpoint.waitingCount}</Fact>
        <Fact name="Given up">{endpoint.parkedCount}</Fact>
        {endpoint.failingSince !== null && endpoint.removedAt === null && (
          <Fact name="Failing since">
            <Moment at={endpoint.failingSince} />
          </Fact>
        )}
        {endpoint.previousSignUntil !== null && new Date(endpoint.previousSignUntil) > now && (
          <Fact name="Previous secret signs until">
            <Moment at={endpoint.previousSignUntil} />
          </Fact>
        )}
        {endpoint.lastAttemptAt !== null && (
          <Fact name={`Last attempt: ${endpoint.lastOutcome}`}>
            <Moment at={endpoint.lastAttemptAt} />
          </Fact>
        )}
      </Facts>
      {endpoint.removedAt === null && <Actions endpoint={endpoint} others={actions} />}
    </>
  );
}

function EndpointBadge({ pausedAt, goneAt, removedAt, failingSince }: WebhookEndpoint) {
  if (removedAt !== null) return <Badge tone="muted">Removed</Badge>;
  if (goneAt !== null) return <Badge tone="warn">Paused: the endpoint returned 410 (Gone)</Badge>;
  if (pausedAt !== null) return <Badge tone="warn">Paused</Badge>;
  return failingSince === null ? null : <Badge tone="danger">Failing</Badge>;
}

interface ActionsProps {
  readonly endpoint: WebhookEndpoint;
  readonly others: ReactNode;
}

function Actions({ endpoint: { id, pausedAt }, others }: ActionsProps) {
  const { request, refresh, notify } = useHost();
  const action = useAction();
  const isPaused = pausedAt !== null;
  const turn = async () => {
    await request(pauseWebhookEndpointMutation, { endpointId: id, isPaused: !isPaused });
    await refresh();
    notify(isPaused ? `Endpoint ${id} was resumed.` : `Endpoint ${id} was paused. New deliveries wait.`);
  };
  return (
    <>
      <ProblemNote problem={action.problem} />
      <div className="card-actions">
        <Button look="quiet" pending={action.pending} onClick={() => void action.run(turn)}>
          {isPaused ? 'Resume' : 'Pause'}
          <span className="visually-hidden"> endpoint {id}</span>
        </Button>
        {others}
      </div>
    </>
  );
}

import type { ResultOf } from 'gql.tada';
import type { ReactNode } from 'preact/compat';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useHost, useLanguage } from '../../ui/host.ts';
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
  const { text } = useLanguage();
  const { id, isConfigured, removedAt } = endpoint;
  return (
    <>
      <div className="card-title">
        {children}
        <EndpointBadge {...endpoint} />
      </div>
      <p className="hint">
        {text(isConfigured ? 'operate.endpoint-from-configuration' : 'operate.endpoint-from-operator', {
          id,
        })}
      </p>
      <EndpointFacts {...endpoint} />
      {removedAt === null && <Actions endpoint={endpoint} others={actions} />}
    </>
  );
}

function EndpointFacts(endpoint: WebhookEndpoint) {
  const { text, number } = useLanguage();
  const { events, headerNames, waitingCount, parkedCount } = endpoint;
  const { failingSince, removedAt, previousSignUntil, lastAttemptAt, lastOutcome } = endpoint;
  const now = useNow();
  return (
    <Facts>
      <Fact name={text('operate.endpoint-events')}>{events.join(', ')}</Fact>
      {headerNames.length > 0 && (
        <Fact name={text('operate.endpoint-headers')}>{headerNames.join(', ')}</Fact>
      )}
      <Fact name={text('operate.endpoint-waiting')}>{number(waitingCount)}</Fact>
      <Fact name={text('operate.endpoint-given-up')}>{number(parkedCount)}</Fact>
      {failingSince !== null && removedAt === null && (
        <Fact name={text('operate.endpoint-failing-since')}>
          <Moment at={failingSince} />
        </Fact>
      )}
      {previousSignUntil !== null && new Date(previousSignUntil) > now && (
        <Fact name={text('operate.endpoint-previous-until')}>
          <Moment at={previousSignUntil} />
        </Fact>
      )}
      {lastAttemptAt !== null && (
        <Fact name={text('operate.endpoint-last-attempt', { outcome: `${lastOutcome}` })}>
          <Moment at={lastAttemptAt} />
        </Fact>
      )}
    </Facts>
  );
}

function EndpointBadge({ pausedAt, goneAt, removedAt, failingSince }: WebhookEndpoint) {
  const { text } = useLanguage();
  if (removedAt !== null) return <Badge tone="muted">{text('operate.endpoint-is-removed')}</Badge>;
  if (goneAt !== null) return <Badge tone="warn">{text('operate.endpoint-is-gone')}</Badge>;
  if (pausedAt !== null) return <Badge tone="warn">{text('operate.endpoint-is-paused')}</Badge>;
  return failingSince === null ? null : <Badge tone="danger">{text('operate.endpoint-is-failing')}</Badge>;
}

interface ActionsProps {
  readonly endpoint: WebhookEndpoint;
  readonly others: ReactNode;
}

function Actions({ endpoint: { id, pausedAt }, others }: ActionsProps) {
  const { request, refresh, notify } = useHost();
  const { text, rich } = useLanguage();
  const action = useAction();
  const isPaused = pausedAt !== null;
  const turn = async () => {
    await request(pauseWebhookEndpointMutation, { endpointId: id, isPaused: !isPaused });
    await refresh();
    notify(text(isPaused ? 'operate.endpoint-resumed' : 'operate.endpoint-paused', { id }));
  };
  return (
    <>
      <ProblemNote problem={action.problem} />
      <div className="card-actions">
        <Button look="quiet" pending={action.pending} onClick={() => void action.run(turn)}>
          {rich(isPaused ? 'operate.resume-endpoint' : 'operate.pause-endpoint', {
            id,
            hidden: (content) => <span className="visually-hidden">{content}</span>,
          })}
        </Button>
        {others}
      </div>
    </>
  );
}

import type { ResultOf } from 'gql.tada';
import type { ReactNode } from 'preact/compat';
import { useLanguage } from '../../ui/host.ts';
import type { auditTrailQuery } from '../documents.ts';
import { actors } from './trail-filter.ts';

type TrailEvent = ResultOf<typeof auditTrailQuery>['auditTrail']['edges'][number]['node'];

/** An event of the trail. */
export interface EventProps {
  readonly event: TrailEvent;
}

interface OriginProps extends EventProps {
  /** Links to an account. */
  readonly linkTo: (id: number) => (content: ReactNode) => ReactNode;
}

/**
 * Says of an event whose it is, who made the change, and which other account it concerns.
 * @param hrefOf where an account leads
 */
export function originOf(hrefOf: (id: number) => string) {
  const linkTo = (id: number) => (content: ReactNode) => <a href={hrefOf(id)}>{content}</a>;
  return ({ event }: EventProps) => <EventOrigin event={event} linkTo={linkTo} />;
}

function EventOrigin({ event, linkTo }: OriginProps) {
  const { userId, onUserId } = event;
  const { rich } = useLanguage();
  return (
    <p className="origin">
      {rich('operate.trail-account', { id: userId, link: linkTo(userId) })}
      {' · '}
      <Doer event={event} linkTo={linkTo} />
      {onUserId !== null && (
        <>
          {' · '}
          {rich('operate.trail-concerns', { id: onUserId, link: linkTo(onUserId) })}
        </>
      )}
    </p>
  );
}

/** Who made the change. An actor that this page does not know has the service's name. */
function Doer({ event: { actor, actorId, server }, linkTo }: OriginProps) {
  const { text, rich } = useLanguage();
  if (server !== null) return rich('operate.trail-by-server', { server: <bdi>{server}</bdi> });
  if (actorId !== null && (actor === 'member' || actor === 'operator'))
    return rich(`operate.trail-by-${actor}-of`, { id: actorId, link: linkTo(actorId) });
  const known = actors.find((each) => each === actor);
  return known === undefined ? actor : text(`operate.trail-by-${known}`);
}

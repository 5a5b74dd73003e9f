import type { ResultOf } from 'gql.tada';
import type { ReactNode } from 'preact/compat';
import { useLanguage } from '../../ui/host.ts';
import { accountLink } from '../account.tsx';
import type { auditTrailQuery } from '../documents.ts';
import { actors } from './trail-filter.ts';

type TrailEvent = ResultOf<typeof auditTrailQuery>['auditTrail']['edges'][number]['node'];

interface EventProps {
  readonly event: TrailEvent;
}

/** A link to the page of an account. */
const linkTo = (id: number) => (content: ReactNode) => <a href={accountLink(id)}>{content}</a>;

/** Whose event it is, who made the change, and which other account it concerns. */
export function EventOrigin({ event }: EventProps) {
  const { userId, onUserId } = event;
  const { rich } = useLanguage();
  return (
    <p className="origin">
      {rich('operate.trail-account', { id: userId, link: linkTo(userId) })}
      {' · '}
      <Doer event={event} />
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
function Doer({ event: { actor, actorId, server } }: EventProps) {
  const { text, rich } = useLanguage();
  if (server !== null) return rich('operate.trail-by-server', { server: <bdi>{server}</bdi> });
  if (actorId !== null && (actor === 'member' || actor === 'operator'))
    return rich(`operate.trail-by-${actor}-of`, { id: actorId, link: linkTo(actorId) });
  const known = actors.find((each) => each === actor);
  return known === undefined ? actor : text(`operate.trail-by-${known}`);
}

// biome-ignore-all lint/a11y/noRedundantRoles: the layout on a phone would drop the roles of a table
import { memo } from 'preact/compat';
import { absolute, relative } from '../../shared/times.ts';
import { Badge } from '../ui/badge.tsx';
import { type ApiKey, expiresSoon, headingId, nameOf, pageOf, stateOf } from './api-key.ts';
import { KeyBadge } from './key-badge.tsx';
import { quotaNow } from './limits-in-words.ts';
import { MayDoShort } from './may-do.tsx';

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly now: Date;
  readonly onMenu: (key: ApiKey, button: HTMLElement) => void;
}

/** Keys, one in each row. */
export const KeyTable = ({ keys, now, onMenu }: KeyTableProps) => (
  <table className="card keys" role="table">
    <caption className="visually-hidden">API keys</caption>
    <thead role="rowgroup">
      <tr role="row">
        {['Key', 'May do', 'Last used', 'Expires'].map((name) => (
          <th key={name} role="columnheader" scope="col">
            {name}
          </th>
        ))}
        <th role="columnheader" scope="col">
          <span className="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      {keys.map((key) => (
        <KeyRow key={key.id} apiKey={key} now={now} onMenu={onMenu} />
      ))}
    </tbody>
  </table>
);

interface KeyRowProps extends Omit<KeyTableProps, 'keys'> {
  readonly apiKey: ApiKey;
}

/** One key: who it is, what it may do, when it was used and when it expires. Exceptions are marked. */
const KeyRow = memo(function KeyRow({ apiKey, now, onMenu }: KeyRowProps) {
  const { keyPrefix, permissions, lastUsedAt } = apiKey;
  const name = nameOf(apiKey);
  return (
    <tr role="row" className={stateOf(apiKey, now)}>
      <th role="rowheader" scope="row">
        <a href={pageOf(apiKey)} id={headingId(apiKey)}>
          <bdi>{name}</bdi>
        </a>
        <small>
          <code>{keyPrefix}</code> <Exceptions apiKey={apiKey} now={now} />
        </small>
      </th>
      <td role="cell" className="may">
        <MayDoShort permissions={permissions} />
      </td>
      <td role="cell" className="used">
        {lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} now={now} />}
      </td>
      <td role="cell" className={expiresSoon(apiKey, now) ? 'ends soon' : 'ends'}>
        <End apiKey={apiKey} now={now} />
      </td>
      <td role="cell" className="more">
        <button
          type="button"
          className="button icon"
          aria-haspopup="true"
          aria-label={`Actions for ${name}`}
          onClick={({ currentTarget }) => onMenu(apiKey, currentTarget)}
        >
          ⋯
        </button>
      </td>
    </tr>
  );
});

/** What is unusual about a key; nothing about one that is active and works. */
function Exceptions({ apiKey, now }: { readonly apiKey: ApiKey; readonly now: Date }) {
  const { quota, isDefault, secrets } = apiKey;
  const isActive = stateOf(apiKey, now) === 'active';
  const working = secrets.filter(({ endsAt }) => endsAt === null || new Date(endsAt) > now).length;
  return (
    <>
      {!isActive && <KeyBadge apiKey={apiKey} now={now} />}
      {isActive && quota && quotaNow(quota, now).remaining === 0 && (
        <Badge tone="danger">Quota used up</Badge>
      )}
      {isActive && working > 1 && <Badge tone="warn">{`${working} secrets work`}</Badge>}
      {isDefault && <Badge tone="muted">Default</Badge>}
    </>
  );
}

const Time = ({ at, now }: { readonly at: string; readonly now: Date }) => (
  <time dateTime={at} title={absolute(new Date(at))}>
    {relative(new Date(at), now)}
  </time>
);

const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

/** When a key expires, or since when it does not work. */
function End({ apiKey: { deactivatedAt, expiresAt }, now }: { readonly apiKey: ApiKey; readonly now: Date }) {
  if (deactivatedAt !== null)
    return (
      <>
        —<small>deactivated {date.format(new Date(deactivatedAt))}</small>
      </>
    );
  if (expiresAt === null) return <>Never</>;
  return (
    <>
      <span>
        <Time at={expiresAt} now={now} />
      </span>
      <small>{date.format(new Date(expiresAt))}</small>
    </>
  );
}

// biome-ignore-all lint/a11y/noRedundantRoles: the layout on a phone would drop the roles of a table
import { memo, useEffect, useState } from 'preact/compat';
import { Badge } from '../ui/badge.tsx';
import { useHost, useLanguage } from '../ui/host.ts';
import { type ApiKey, expiresSoon, headingId, nameOf, pageOf, stateOf } from './api-key.ts';
import { creatorOf } from './creator-of.ts';
import { KeyBadge } from './key-badge.tsx';
import { quotaNow } from './limits-in-words.ts';
import { MayDoShort } from './may-do-short.tsx';
import { Hatching, Sparkline } from './sparkline.tsx';
import type { DailyUse } from './use-daily-use.ts';

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly now: Date;
  /** The use of keys in the last days, by id; what is not there yet is left out. */
  readonly use: ReadonlyMap<number, DailyUse>;
  readonly onMenu: (key: ApiKey, button: HTMLElement) => void;
}

/** How many rows are drawn at once. */
const step = 40;

/** As many of the keys as are drawn by now: many at once would hold up the next key press. */
function useGrowing(keys: readonly ApiKey[]): readonly ApiKey[] {
  const [drawn, setDrawn] = useState(step);
  // What was drawn stays; what comes back is drawn step by step.
  const count = Math.max(Math.min(drawn, keys.length), step);
  useEffect(() => {
    const next = Math.min(count + step, Math.max(keys.length, step));
    if (next === drawn) return;
    const timer = setTimeout(() => setDrawn(next));
    return () => clearTimeout(timer);
  }, [count, drawn, keys.length]);
  return keys.slice(0, count);
}

const columns = ['key', 'created-by', 'permissions', 'last-used', 'requests', 'expires'] as const;

/** Keys, one in each row. */
export function KeyTable({ keys, now, use, onMenu }: KeyTableProps) {
  const drawn = useGrowing(keys);
  const language = useLanguage();
  const { text } = language;
  const account = useHost().useAccount();
  const isShared = account.organization !== undefined;
  return (
    <>
      <Hatching />
      <table className={isShared ? 'card keys shared' : 'card keys'} part="list" role="table">
        <caption className="visually-hidden">{text('keys.title')}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns
              .filter((name) => name !== 'created-by' || isShared)
              .map((name) => (
                <th key={name} role="columnheader" scope="col" className={`column-${name}`}>
                  {text(`keys.column-${name}`)}
                </th>
              ))}
            <th role="columnheader" scope="col" className="column-more">
              <span className="visually-hidden">{text('keys.column-actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {drawn.map((key) => (
            <KeyRow
              key={key.id}
              apiKey={key}
              creator={isShared ? creatorOf(language, key, account) : undefined}
              now={now}
              use={use.get(key.id)}
              onMenu={onMenu}
            />
          ))}
        </tbody>
      </table>
    </>
  );
}

interface KeyRowProps extends Omit<KeyTableProps, 'keys' | 'use'> {
  readonly apiKey: ApiKey;
  /** Who created the key; undefined: it is a person's own. */
  readonly creator: string | undefined;
  readonly use: DailyUse | undefined;
}

/** One key: who it is, what it may do, when it was used and when it expires. Exceptions are marked. */
const KeyRow = memo(function KeyRow({ apiKey, creator, now, use, onMenu }: KeyRowProps) {
  const { keyPrefix, permissions, lastUsedAt } = apiKey;
  const language = useLanguage();
  const { text } = language;
  const name = nameOf(language, apiKey);
  return (
    <tr role="row" className={stateOf(apiKey, now)}>
      <th role="rowheader" scope="row">
        <a href={pageOf(apiKey)} id={headingId(apiKey)}>
          <bdi>{name}</bdi>
        </a>
        <small>
          <code>{keyPrefix}</code> <Exceptions apiKey={apiKey} now={now} use={use} />
        </small>
      </th>
      {creator !== undefined && (
        <td role="cell" className="creator">
          <Label name="created-by" />
          {creator}
        </td>
      )}
      <td role="cell" className="may">
        <MayDoShort permissions={permissions} />
      </td>
      <td role="cell" className="used">
        <Label name="last-used" />
        {lastUsedAt === null ? text('keys.never-used') : <Time at={lastUsedAt} now={now} />}
      </td>
      <td role="cell" className="use">
        {use && <Sparkline use={use} />}
      </td>
      <td role="cell" className={expiresSoon(apiKey, now) ? 'ends soon' : 'ends'}>
        <End apiKey={apiKey} now={now} />
      </td>
      <td role="cell" className="more">
        <button
          type="button"
          className="button icon"
          aria-haspopup="true"
          aria-label={text('keys.actions-for', { name })}
          onClick={({ currentTarget }) => onMenu(apiKey, currentTarget)}
        >
          ⋯
        </button>
      </td>
    </tr>
  );
});

/** The heading of a column, where the table has none: on a phone. */
function Label({ name }: { readonly name: 'created-by' | 'last-used' | 'expires' | 'expired' }) {
  const { text } = useLanguage();
  return (
    <span className="label" aria-hidden="true">
      {text(`keys.label-${name}`)}{' '}
    </span>
  );
}

/** What is unusual about a key; nothing about one that is active and works. */
function Exceptions({ apiKey, now, use }: Pick<KeyRowProps, 'apiKey' | 'now' | 'use'>) {
  const { text } = useLanguage();
  const allRefused = (use?.refused.at(-1) ?? 0) > 0 && use?.allowed.at(-1) === 0;
  const { quota, isDefault, secrets } = apiKey;
  const isActive = stateOf(apiKey, now) === 'active';
  const working = secrets.filter(({ endsAt }) => endsAt === null || new Date(endsAt) > now).length;
  return (
    <>
      {!isActive && <KeyBadge apiKey={apiKey} now={now} />}
      {isActive && quota && quotaNow(quota, now).remaining === 0 && (
        <Badge tone="danger">{text('keys.quota-used-up')}</Badge>
      )}
      {isActive && allRefused && <Badge tone="danger">{text('keys.all-refused')}</Badge>}
      {isActive && working > 1 && <Badge tone="warn">{text('keys.secrets-work', { count: working })}</Badge>}
      {isDefault && <Badge tone="muted">{text('keys.default')}</Badge>}
    </>
  );
}

function Time({ at, now }: { readonly at: string; readonly now: Date }) {
  const { absolute, relative } = useLanguage();
  return (
    <time dateTime={at} title={absolute(new Date(at))}>
      {relative(new Date(at), now)}
    </time>
  );
}

/** When a key expires, or since when it does not work. */
function End({ apiKey: { deactivatedAt, expiresAt }, now }: { readonly apiKey: ApiKey; readonly now: Date }) {
  const { text, date } = useLanguage();
  if (deactivatedAt !== null)
    return (
      <>
        {text('keys.deactivated')}
        <small>{date(new Date(deactivatedAt))}</small>
      </>
    );
  if (expiresAt === null)
    return (
      <>
        <Label name="expires" />
        {text('keys.never-expires')}
      </>
    );
  return (
    <>
      <Label name={new Date(expiresAt) <= now ? 'expired' : 'expires'} />
      <span>
        <Time at={expiresAt} now={now} />
      </span>
      <small>{date(new Date(expiresAt))}</small>
    </>
  );
}

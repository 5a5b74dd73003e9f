import type { ReactNode } from 'preact/compat';
import type { ApiKey, ApiKeyState } from './api-key.ts';
import { rateInWords } from './limits-in-words.ts';
import { LostPermissions } from './lost-permissions.tsx';
import { QuotaLeft } from './quota-left.tsx';

/** The most names that a sentence shows. */
const named = 4;

/** The permissions, addresses, limits and metadata of a key, if it has any. */
export function KeyLimits({ apiKey, state }: { readonly apiKey: ApiKey; readonly state: ApiKeyState }) {
  const { permissions, allowedAddresses, rateLimit, quota, metadata } = apiKey;
  const showsQuota = state === 'active' && quota !== null;
  if (permissions.length + allowedAddresses.length === 0 && !rateLimit && !metadata && !showsQuota)
    return null;
  return (
    <div className="limits">
      <Sentence permissions={permissions} addresses={allowedAddresses} rateLimit={rateLimit} />
      {permissions.length > named && (
        <Fold summary={`All ${permissions.length} permissions`}>
          <Names names={permissions} />
        </Fold>
      )}
      {allowedAddresses.length > named && (
        <Fold summary={`All ${allowedAddresses.length} addresses`}>
          <Names names={allowedAddresses} />
        </Fold>
      )}
      {state === 'active' && <LostPermissions permissions={permissions} />}
      {showsQuota && <QuotaLeft quota={quota} />}
      {metadata && (
        <Fold summary="Metadata">
          <pre dir="ltr">{JSON.stringify(metadata, null, 2)}</pre>
        </Fold>
      )}
    </div>
  );
}

interface SentenceProps {
  readonly permissions: readonly string[];
  readonly addresses: readonly string[];
  readonly rateLimit: ApiKey['rateLimit'];
}

/** `Allows documents.read, only from 192.0.2.0/24, at most 100 requests per minute.` */
function Sentence({ permissions, addresses, rateLimit }: SentenceProps) {
  const clauses: (readonly [string, ReactNode])[] = [];
  if (permissions.includes('*')) clauses.push(['allows ', 'everything']);
  else if (permissions.length > 0)
    clauses.push(['allows ', <Listed key="permissions" items={permissions} what="permissions" />]);
  if (addresses.length > 0)
    clauses.push(['only from ', <Listed key="addresses" items={addresses} what="addresses" />]);
  if (rateLimit) clauses.push(['at most ', rateInWords(rateLimit)]);
  if (clauses.length === 0) return null;
  return (
    <p>
      {clauses.map(([lead, rest], index) => (
        <span key={lead}>
          {index === 0 ? lead.charAt(0).toUpperCase() + lead.slice(1) : `, ${lead}`}
          {rest}
        </span>
      ))}
      .
    </p>
  );
}

interface ListedProps {
  readonly items: readonly string[];
  /** What the items are, for `and 3 other permissions`. */
  readonly what: string;
}

/** `a, b and c`; of a long list, the first items and the number of others. */
function Listed({ items, what }: ListedProps) {
  const shown = items.length > named ? items.slice(0, named - 1) : items;
  const others = items.length - shown.length;
  return (
    <>
      {shown.map((item, index) => (
        <span key={item}>
          {index > 0 && (index === items.length - 1 ? ' and ' : ', ')}
          <Name name={item} />
        </span>
      ))}
      {others > 0 && ` and ${others} other ${what}`}
    </>
  );
}

/** A permission or an address; `documents.*` in words. */
const Name = ({ name }: { readonly name: string }) =>
  name.endsWith('.*') ? (
    <>
      all of <code>{name.slice(0, -2)}</code>
    </>
  ) : (
    <code>{name}</code>
  );

const Names = ({ names }: { readonly names: readonly string[] }) => (
  <ul>
    {names.map((name) => (
      <li key={name}>
        <code>{name}</code>
      </li>
    ))}
  </ul>
);

const Fold = ({ summary, children }: { readonly summary: string; readonly children: ReactNode }) => (
  <details className="fold">
    <summary>{summary}</summary>
    {children}
  </details>
);

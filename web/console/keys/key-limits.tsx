import type { ReactNode } from 'preact/compat';
import type { ApiKey, ApiKeyState } from './api-key.ts';
import { rateInWords } from './limits-in-words.ts';
import { LostPermissions } from './lost-permissions.tsx';
import { mayDoOf } from './offer-permissions.ts';
import { QuotaLeft } from './quota-left.tsx';

/** The most names that a sentence shows. */
const named = 4;

/** What a key may do, and its addresses, limits and metadata. */
export function KeyLimits({ apiKey, state }: { readonly apiKey: ApiKey; readonly state: ApiKeyState }) {
  const { permissions, allowedAddresses, rateLimit, quota, metadata } = apiKey;
  return (
    <div className="limits">
      <p>
        May do: <MayDo permissions={permissions} />.
        <Bounds addresses={allowedAddresses} rateLimit={rateLimit} />
      </p>
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
      {state === 'active' && quota !== null && <QuotaLeft quota={quota} />}
      {metadata && (
        <Fold summary="Metadata">
          <pre dir="ltr">{JSON.stringify(metadata, null, 2)}</pre>
        </Fold>
      )}
    </div>
  );
}

/** `nothing special`, `everything`, or the permissions. */
function MayDo({ permissions }: Pick<ApiKey, 'permissions'>) {
  const may = mayDoOf(permissions);
  if (may === 'these') return <Listed items={permissions} what="permissions" />;
  return <>{may === 'everything' ? 'everything' : 'nothing special'}</>;
}

interface BoundsProps {
  readonly addresses: readonly string[];
  readonly rateLimit: ApiKey['rateLimit'];
}

/** ` Only from 192.0.2.0/24, at most 100 requests per minute.` */
function Bounds({ addresses, rateLimit }: BoundsProps) {
  if (addresses.length === 0) return rateLimit && <> At most {rateInWords(rateLimit)}.</>;
  return (
    <>
      {' '}
      Only from <Listed items={addresses} what="addresses" />
      {rateLimit && `, at most ${rateInWords(rateLimit)}`}.
    </>
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

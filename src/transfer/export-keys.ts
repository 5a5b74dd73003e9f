import { writtenParts } from '../api-keys/key-parts.ts';
import { quotaColumns } from '../api-keys/own-api-key.ts';
import { pauserOf } from '../api-keys/pause.ts';
import { type Db, prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';

/** The number of API keys in one read. */
const pageSize = 500;

const selectPage = prepareQuery(ApiKey, (db, { after }: { readonly after: number }) =>
  db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .leftJoin('api_key_quota', 'api_key_quota.api_key_id', 'api_key.id')
    .selectAll('api_key')
    .select(['account.issuer', 'account.subject', 'account.kind', 'account.plan'])
    .select(quotaColumns)
    .where('api_key.id', '>', after)
    .where('account.erased_at', 'is', null)
    .orderBy('api_key.id')
    .limit(pageSize),
);

type Row = Awaited<ReturnType<typeof selectPage>>[number];

/** An API key as a line of JSON that can be imported, but without its secret. */
function lineOf(key: Row): string {
  return `${JSON.stringify({
    issuer: key.issuer,
    ...(key.kind === 'organization' ? { organization: key.subject } : { subject: key.subject }),
    key_prefix: key.keyPrefix,
    created_at: key.createdAt,
    ...writtenParts(key),
    quota: key.quotaUnits === null ? null : { limit: key.quotaUnits, refill: key.quotaRefill },
    is_active: key.isActive,
    ...(key.pausedAt && {
      paused_at: key.pausedAt,
      paused_by: pauserOf(key),
      pause_reason: key.pauseReason,
    }),
    plan: key.plan,
  })}\n`;
}

/**
 * Writes all API keys as lines of JSON, without secrets and without digests of secrets. The keys come in the order of
 * their ids, a page of lines at a time. A key that exists during the whole export appears exactly once.
 */
export async function* exportKeys(db: Db): AsyncGenerator<string> {
  let after = 0;
  for (;;) {
    const rows = await selectPage(db, { after });
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(lineOf).join('');
    after = last.id;
  }
}

import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { isForPostgres } from '../../database/db.ts';
import { parseStored } from '../../database/stored-values.ts';
import type { Tables } from '../../database/tables.ts';
import type { ApiKeyRecord } from '../own-api-key.ts';

/** The columns of a key that its own record needs, and no verification. */
const columns = [
  'key_prefix',
  'description',
  'created_at',
  'is_default',
  'previous_works_until',
  'last_used_at',
] as const;

/**
 * The columns of a key that only its own record needs, as one JSON array: to read each of them would take a tenth of a
 * verification, and mostly for nothing.
 */
export function keptColumns(kysely: Kysely<Tables>): RawBuilder<string> {
  const all = sql.join(columns.map((column) => sql.ref(`api_key.${column}`)));
  return isForPostgres(kysely) ? sql`cast(json_build_array(${all}) as text)` : sql`json_array(${all})`;
}

/** A time: ISO 8601 on PostgreSQL, milliseconds since 1970 on SQLite. */
const time = z
  .union([z.iso.datetime({ offset: true, local: true }), z.int()])
  .transform((at) => new Date(at));

const kept = z.tuple([
  z.string(),
  z.string().nullable(),
  time,
  z.union([z.boolean(), z.literal(0), z.literal(1)]).transform(Boolean),
  time.nullable(),
  time.nullable(),
]);

const isKept = (value: unknown): value is z.input<typeof kept> => kept.safeParse(value).success;

/** The members of a key's record that {@link keptColumns} has. */
type Kept = Pick<
  ApiKeyRecord,
  'keyPrefix' | 'description' | 'createdAt' | 'isDefault' | 'previousWorksUntil' | 'lastUsedAt'
>;

/**
 * Reads {@link keptColumns}.
 * @throws {UnexpectedValueError} if a column has another type
 */
export function readKept(text: string): Kept {
  const stored = parseStored('a record of an API key', text, isKept);
  const [keyPrefix, description, createdAt, isDefault, previousWorksUntil, lastUsedAt] = kept.parse(stored);
  return { keyPrefix, description, createdAt, isDefault, previousWorksUntil, lastUsedAt };
}

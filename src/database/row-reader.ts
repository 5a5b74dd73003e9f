import type { EntityName, EntityProperty, SqlEntityManager } from '@mikro-orm/sql';
import { type Alias, aliases } from './aliases.ts';
import { UnexpectedValueError } from './failures.ts';

/** Whether a value is what its column holds. A missing value is checked by whoever needs it, because of outer joins. */
type Check = (value: unknown) => boolean;

/** A timestamp as PostgreSQL writes it for the `DateStyle` ISO; neither `infinity` nor a year before Christ. */
const timestamp = /^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?[+-]\d\d(?::\d\d){0,2}$/;

/** The greatest time of a `Date`, in milliseconds. */
const latest = 8.64e15;

const isInteger: Check = (value) => Number.isSafeInteger(value);
const isText: Check = (value) => typeof value === 'string';
const isBytes: Check = (value) => value instanceof Uint8Array;

/** What the values of PostgreSQL and of SQLite look like, before the ORM converts them. */
const checks = {
  postgresql: {
    flag: (value) => typeof value === 'boolean',
    date: (value) => typeof value === 'string' && timestamp.test(value),
    // `pg` returns a bigint as text.
    integer: (value) => isInteger(value) || (typeof value === 'string' && /^-?\d{1,15}$/.test(value)),
  },
  sqlite: {
    flag: (value) => value === 0 || value === 1,
    date: (value) => isInteger(value) && Math.abs(Number(value)) <= latest,
    integer: isInteger,
  },
} satisfies Record<string, Record<string, Check>>;

type Checks = (typeof checks)[keyof typeof checks];

const checkOf = ({ runtimeType, name }: EntityProperty, { flag, date, integer }: Checks): Check => {
  switch (runtimeType) {
    case 'boolean':
      return flag;
    case 'Date':
      return date;
    case 'string':
      return isText;
    case 'Buffer':
      return isBytes;
    // The ORM does not know the type of a reference: the id of another row.
    case 'number':
    case 'unknown':
      return integer;
    default:
      throw new Error(`no check for the values of ${name}`);
  }
};

/** Makes the value of a property from the value of its column. */
type Convert = (value: never) => unknown;

/** Reads the column of an alias. */
interface AliasReader {
  readonly name: string;
  readonly check: Check;
  readonly convert: Convert | undefined;
}

const readAlias = (em: SqlEntityManager, name: string, alias: Alias, types: Checks): AliasReader => {
  if (alias === 'flag') return { name, check: types.flag, convert: Boolean };
  const [entity, propertyName] = alias;
  const properties: Record<string, EntityProperty> = em.getMetadata().get(entity).properties;
  const property = properties[propertyName];
  if (!property) throw new Error(`there is no property ${propertyName}`);
  const platform = em.getDriver().getPlatform();
  const converters: Partial<Record<string, Convert>> = {
    boolean: Boolean,
    Date: (value: string | number) => platform.parseDate(value),
  };
  return { name, check: checkOf(property, types), convert: converters[property.runtimeType] };
};

/**
 * Makes a function that reads rows: it gives the columns the names of the entity's properties, and converts their
 * values.
 *
 * It refuses a value that is not what its column holds. The ORM converts any such value to something, or leaves it as
 * it is. A date that arrives as text is neither before nor after any other: an API key would never expire by it.
 * @param em the manager of the database
 * @param entity the entity whose properties replace the columns. The values of columns that are neither a property of it
 *   nor one of the {@link aliases} stay as they are
 * @returns throws an {@link UnexpectedValueError}
 */
export function createRowReader(
  em: SqlEntityManager,
  entity: EntityName,
  isPostgres: boolean,
): (row: object) => object {
  const types: Checks = isPostgres ? checks.postgresql : checks.sqlite;
  const driver = em.getDriver();
  const metadata = em.getMetadata().get(entity);
  const known = new Map<string, Check>();
  for (const property of Object.values<EntityProperty>(metadata.properties))
    for (const name of property.fieldNames ?? []) known.set(name, checkOf(property, types));
  const others = Object.entries(aliases)
    .filter(([name]) => !known.has(name))
    .map(([name, alias]) => readAlias(em, name, alias, types));
  for (const { name, check } of others) known.set(name, check);
  const converted = others.filter(({ convert }) => convert !== undefined);
  return (row) => {
    const values = row as Record<string, unknown>;
    for (const name in values) {
      const value = values[name];
      if (value !== null && known.get(name)?.(value) === false)
        throw new UnexpectedValueError(`${metadata.tableName}, ${name}`, value);
    }
    const read = driver.mapResult(row, metadata) as Record<string, unknown>;
    for (const { name, convert } of converted) {
      const value = values[name];
      if (value !== null && value !== undefined) read[name] = convert?.(value as never);
    }
    return read;
  };
}

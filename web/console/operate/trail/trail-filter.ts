import { idIn } from '../../keys/api-key.ts';

/** Who may have done something. */
export const actors = ['self', 'member', 'operator', 'provider', 'key', 'scanner'] as const;

/** Which audit events are wanted. Null: any. */
export interface TrailFilter {
  /** Empty for all actions. */
  readonly action: readonly string[];
  /** The number of an account. */
  readonly user: number | null;
  readonly actor: (typeof actors)[number] | null;
  /** The number of an API key. */
  readonly key: number | null;
  /** In ISO 8601, with `Z`. */
  readonly from: string | null;
  readonly to: string | null;
}

/** The name of a part of the filter, in the address and in the form. */
export type FilterName = keyof TrailFilter;

const none: TrailFilter = { action: [], user: null, actor: null, key: null, from: null, to: null };

/** The most actions of one filter. */
export const mostActions = 10;

const action = /^[a-z]+(-[a-z]+)*$/;

/** The largest Int of GraphQL. */
const mostInt = 2 ** 31 - 1;

/** The number in a text; undefined if it is none. */
export function numberIn(text: string): number | undefined {
  const number = idIn(text);
  return number !== undefined && number <= mostInt ? number : undefined;
}

/** The years that the service knows. */
const [firstYear, lastYear] = [1970, 9999];

/** The time in a text, in ISO 8601; undefined if it is none. */
export function timeIn(text: string): string | undefined {
  const at = new Date(/^\d{4,6}-\d\d/.test(text) ? text : Number.NaN);
  const year = at.getUTCFullYear();
  return year >= firstYear && year <= lastYear ? at.toISOString() : undefined;
}

function actionsIn(text: string): readonly string[] | undefined {
  const names = [...new Set(text.split(','))];
  const isValid =
    names.length <= mostActions && names.every((name) => action.test(name) && name.length <= 100);
  return isValid ? names : undefined;
}

type Readers = {
  readonly [Name in FilterName]: (text: string) => NonNullable<TrailFilter[Name]> | undefined;
};

const readers: Readers = {
  action: actionsIn,
  user: numberIn,
  actor: (text) => actors.find((actor) => actor === text),
  key: numberIn,
  from: timeIn,
  to: timeIn,
};

/** The parts of the filter, in the order of the form. */
export const filterNames = Object.keys(readers) as readonly FilterName[];

/**
 * The filter in the address.
 * @returns also the names of parts that are not valid, and are left out
 */
export function readFilter(params: URLSearchParams) {
  const given = filterNames.flatMap((name) => {
    const text = params.get(name);
    return text ? [[name, readers[name](text)] as const] : [];
  });
  const filter: TrailFilter = {
    ...none,
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
  };
  return { filter, wrong: given.filter(([, value]) => value === undefined).map(([name]) => name) };
}

/** The address of the trail with a filter. */
export function trailLink(filter: Partial<TrailFilter>): string {
  const params = new URLSearchParams();
  for (const name of filterNames) {
    const text = `${filter[name] ?? ''}`;
    if (text !== '') params.set(name, text);
  }
  // A time and a list stay readable.
  const query = `${params}`.replaceAll('%3A', ':').replaceAll('%2C', ',');
  return query === '' ? '#operate/trail' : `#operate/trail?${query}`;
}

/** The filter as the arguments of the operation. */
export const toArguments = ({ action: names, user, key, ...rest }: TrailFilter) => ({
  ...rest,
  action: names.join(',') || null,
  userId: user,
  keyId: key,
});

/** The filter as the query string of the REST API. */
export function toQuery({ action: names, user, actor, key, from, to }: TrailFilter): string {
  const given = { action: names.join(','), user_id: user, actor, key_id: key, from, to };
  return `${new URLSearchParams(
    Object.entries(given).flatMap(([name, value]) => (value ? [[name, `${value}`]] : [])),
  )}`;
}

const pad = (number: number, length = 2) => `${number}`.padStart(length, '0');

/** A day in the person's time zone: `2026-11-29`. */
export const dayIn = (at: Date): string =>
  `${pad(at.getFullYear(), 4)}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;

/** A time as a field shows it, in the person's time zone. Empty if there is none. */
export function toField(time: string | null): string {
  if (time === null) return '';
  const at = new Date(time);
  const minute = `${dayIn(at)}T${pad(at.getHours())}:${pad(at.getMinutes())}`;
  const [seconds, rest] = [at.getSeconds(), at.getMilliseconds()];
  if (seconds === 0 && rest === 0) return minute;
  return `${minute}:${pad(seconds)}${rest === 0 ? '' : `.${pad(rest, 3)}`}`;
}

import { type FoundOperation, formType } from '../description/operations.ts';
import type { Field } from './fields.ts';

/** The name of the field of the body. No header or parameter has it. */
export const bodyName = ' body';

/** A request as a person entered it. */
export interface Entered {
  readonly method: string;
  /** With the query, without the origin. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string, isSecret: boolean])[];
  /** The parameters of a body that is a form; missing for any other. */
  readonly form?: readonly (readonly [name: string, value: string, isSecret: boolean])[];
  readonly text?: string;
}

/** What is wrong, by the name of the field. */
export type Faults = Readonly<Record<string, string>>;

/** The fault of a field with a value; undefined: none. */
function faultOf({ name, place, isRequired }: Field, value: string): string | undefined {
  if (value === '') return isRequired ? `Enter a value for ${name}.` : undefined;
  // A browser would take these out of the path, and the request would go to another operation.
  if (place === 'path' && /^\.\.?$/.test(value)) return 'A path cannot have this value.';
  if (place !== 'header') return undefined;
  try {
    new Headers({ [name]: value });
    return undefined;
  } catch {
    return 'A header cannot have this value. Use ASCII characters on one line.';
  }
}

function faultOfBody(text: string): string | undefined {
  if (text.trim() === '') return 'Enter a body.';
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}.`;
  }
}

const faultsOf = (fields: readonly Field[], read: (name: string) => string, hasBody: boolean): Faults =>
  Object.fromEntries(
    [
      ...fields.map((field) => [field.name, faultOf(field, read(field.name))] as const),
      ...(hasBody ? [[bodyName, faultOfBody(read(bodyName))] as const] : []),
    ].filter((each): each is [string, string] => each[1] !== undefined),
  );

/** The body of a form. */
export const writeForm = (form: readonly (readonly [name: string, value: string, ...unknown[]])[]): string =>
  `${new URLSearchParams(form.map(([name, value]) => [name, value]))}`;

/** Reads what a person entered. Empty fields are not sent. */
export function readForm(
  { method, path, body }: Pick<FoundOperation, 'method' | 'path' | 'body'>,
  fields: readonly Field[],
  entries: FormData,
): { readonly faults: Faults } | { readonly entered: Entered } {
  const read = (name: string) => String(entries.get(name) ?? '');
  const faults = faultsOf(fields, read, body !== undefined);
  if (Object.keys(faults).length > 0) return { faults };
  const given = fields.filter(({ name }) => read(name) !== '');
  const inPlace = (sought: Field['place']) => given.filter(({ place }) => place === sought);
  const filled = inPlace('path').reduce(
    (text, { name }) => text.replace(`{${name}}`, () => encodeURIComponent(read(name))),
    path,
  );
  const form = inPlace('form').map(({ name, isSecret }) => [name, read(name), isSecret] as const);
  const query = new URLSearchParams(inPlace('query').map(({ name }) => [name, read(name)])).toString();
  return {
    entered: {
      method,
      path: filled + (query && `?${query}`),
      headers: [
        ...inPlace('header').map(({ name, isSecret }) => [name, read(name), isSecret] as const),
        ...(body ? [['Content-Type', 'application/json', false] as const] : []),
        ...(form.length > 0 ? [['Content-Type', formType, false] as const] : []),
      ],
      ...(form.length > 0 && { form, text: writeForm(form) }),
      ...(body && { text: read(bodyName) }),
    },
  };
}

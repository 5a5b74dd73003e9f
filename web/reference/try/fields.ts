import type { Parameter, Schema } from '../description/openapi.ts';
import type { FoundOperation } from '../description/operations.ts';

/** A field of the form: a parameter, or the API key that an operation takes. */
export interface Field {
  readonly name: string;
  readonly place: Parameter['in'];
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** What stands in the field at first. Optional fields are empty: the form sends only what a person enters. */
  readonly value: string;
  /** The values to choose from; undefined: any text. */
  readonly choices?: readonly string[];
}

const beginValue = (value: unknown): string => (value === undefined ? '' : `${value}`);

const choicesOf = ({ enum: values, type }: Schema): Pick<Field, 'choices'> => {
  if (values) return { choices: values.map(String) };
  return type === 'boolean' ? { choices: ['true', 'false'] } : {};
};

/** Whether a field begins with the example: everybody knows that of a secret. */
const isShown = (required: boolean, { writeOnly = false }: Schema): boolean => required && !writeOnly;

/** The parameter that says for which organisation a request is. */
export const organizationHeader = 'Keyward-Organization';

/**
 * The fields of an operation, without its body.
 * @param keyHeader the header in which the service takes API keys
 * @param organization the organisation for which the person uses the page; undefined: for themselves
 */
export const fieldsOf = (
  { parameters, credential }: Pick<FoundOperation, 'parameters' | 'credential'>,
  keyHeader: string,
  organization?: string,
): readonly Field[] => [
  ...(credential === 'key'
    ? [{ name: keyHeader, place: 'header', isRequired: false, isSecret: true, value: '' } as const]
    : []),
  ...parameters.map(({ name, in: place, required = false, example, schema }) => ({
    name,
    place,
    isRequired: required,
    isSecret: schema.writeOnly === true,
    value: beginValue(
      name === organizationHeader ? organization : isShown(required, schema) ? example : undefined,
    ),
    ...choicesOf(schema),
  })),
];

const toText = (value: unknown) => JSON.stringify(value, null, 2);

/**
 * The body that the form begins with. Secrets are empty: whoever sent the example of a private key would register one
 * that everybody knows.
 * @param members which members of the example it has
 */
export function beginBody({ body }: Pick<FoundOperation, 'body'>, members: 'required' | 'all'): string {
  const { example, schema } = body ?? {};
  if (!schema || typeof example !== 'object' || example === null || Array.isArray(example))
    return toText(example ?? {});
  const isKept = (name: string) => members === 'all' || schema.required?.includes(name) === true;
  const kept = Object.entries(example).filter(([name]) => isKept(name));
  return toText(
    Object.fromEntries(
      kept.map(([name, value]) => [name, schema.properties?.[name]?.writeOnly ? '' : value]),
    ),
  );
}

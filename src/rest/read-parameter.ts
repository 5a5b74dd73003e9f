import { type GraphQLInputType, getNamedType } from 'graphql';
import type { InputIssue } from '../errors.ts';

/** How a type that JSON has, and text has not, is written in a path or a query string. */
interface Notation {
  readonly pattern: RegExp;
  readonly read: (text: string) => unknown;
  readonly issue: Pick<InputIssue, 'message' | 'type'>;
}

const notations = new Map<string, Notation>([
  [
    'Int',
    {
      pattern: /^(0|-?[1-9]\d*)$/,
      read: Number,
      issue: { message: 'Must be a decimal integer.', type: 'int_parsing' },
    },
  ],
  [
    'Boolean',
    {
      pattern: /^(true|false)$/,
      read: (text) => text === 'true',
      issue: { message: 'Must be true or false.', type: 'bool_parsing' },
    },
  ],
]);

/** Reads the text of a parameter as its type is written in JSON: numbers and booleans strictly, all else as it is. */
export function readParameter(
  type: GraphQLInputType,
  text: string | undefined,
): { value?: unknown; issue?: Notation['issue'] } {
  const notation = notations.get(getNamedType(type).name);
  if (!notation) return { value: text };
  return notation.pattern.test(text ?? '') ? { value: notation.read(text ?? '') } : { issue: notation.issue };
}

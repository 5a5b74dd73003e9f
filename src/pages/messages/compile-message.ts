import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';

/** A message without arguments is a text; another is what the parser made of it. */
export type CompiledMessage = string | MessageFormatElement[];

/**
 * Compiles a message in ICU MessageFormat: `{count, plural, one {# key} other {# keys}}`.
 * @throws {SyntaxError} if it is none
 */
export const compileMessage = (message: string): CompiledMessage =>
  /[{}<']/.test(message) ? parse(message) : message;

/**
 * What the value of an argument must be: a number, a text, or for a tag what makes an element of its content. No text
 * of the pages gets a `date`, or what a `format` of the message's own writes.
 */
export type ArgumentKind = 'number' | 'text' | 'tag' | 'date' | 'format';

/** All elements of a message, also those inside of others. */
function* elementsOf(elements: readonly MessageFormatElement[]): Generator<MessageFormatElement> {
  for (const element of elements) {
    yield element;
    if (element.type === TYPE.tag) yield* elementsOf(element.children);
    if (element.type === TYPE.select || element.type === TYPE.plural)
      for (const { value } of Object.values(element.options)) yield* elementsOf(value);
  }
}

/** What an element of a message needs as its argument; undefined: it has none. */
function kindOf(element: MessageFormatElement): ArgumentKind | undefined {
  switch (element.type) {
    case TYPE.date:
    case TYPE.time:
      return 'date';
    case TYPE.number:
      // A browser refuses some formats only when it writes.
      return [undefined, null, 'integer', 'percent'].includes(element.style as string) ? 'number' : 'format';
    case TYPE.plural:
      return 'number';
    case TYPE.tag:
      return 'tag';
    case TYPE.argument:
    case TYPE.select:
      return 'text';
    default:
      return undefined;
  }
}

/** Each use that a message makes of what it gets when it is written: a name, and what it needs to be there. */
export function* usesIn(message: CompiledMessage): Generator<readonly [name: string, kind: ArgumentKind]> {
  for (const element of typeof message === 'string' ? [] : elementsOf(message)) {
    const kind = kindOf(element);
    if (kind !== undefined && 'value' in element) yield [`${element.value}`, kind];
  }
}

/** What a message gets when it is written, by name. What is written as a text somewhere can be a number. */
export function argumentsOf(message: CompiledMessage): ReadonlyMap<string, ArgumentKind> {
  const uses = [...usesIn(message)];
  return new Map([
    ...uses.filter(([, kind]) => kind === 'text'),
    ...uses.filter(([, kind]) => kind !== 'text'),
  ]);
}

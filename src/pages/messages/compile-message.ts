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

/** What a message gets when it is written, by name. */
export function argumentsOf(message: CompiledMessage): ReadonlyMap<string, ArgumentKind> {
  const found = new Map<string, ArgumentKind>();
  for (const element of typeof message === 'string' ? [] : elementsOf(message))
    switch (element.type) {
      case TYPE.date:
      case TYPE.time:
        found.set(element.value, 'date');
        break;
      case TYPE.number:
        // A browser refuses some formats only when it writes.
        found.set(
          element.value,
          [undefined, null, 'integer', 'percent'].includes(element.style as string) ? 'number' : 'format',
        );
        break;
      case TYPE.plural:
        found.set(element.value, 'number');
        break;
      case TYPE.tag:
        found.set(element.value, 'tag');
        break;
      case TYPE.argument:
      case TYPE.select:
        if (!found.has(element.value)) found.set(element.value, 'text');
        break;
      default:
    }
  return found;
}

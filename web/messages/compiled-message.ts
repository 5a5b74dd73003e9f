import type { MessageFormatElement } from '@formatjs/icu-messageformat-parser';

/** A message without arguments is a text; another is what the parser of ICU messages made of it. */
export type CompiledMessage = string | MessageFormatElement[];

/** Messages by their ids. */
export type CompiledMessages = Readonly<Record<string, CompiledMessage>>;

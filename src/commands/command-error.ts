/** A command cannot do what it was asked to. The message says why, in a sentence for an operator. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

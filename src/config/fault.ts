import { type Environment, environmentSchema, type VariableName } from './environment.ts';

/** A variable, and the rest of a sentence that begins with it: what it must be. It never holds a value. */
export type Fault = readonly [name: VariableName, problem: string];

/** What is set, and what of it could be read: a variable that is faulty in itself is absent from `env`. */
export interface Given {
  readonly isSet: (name: VariableName) => boolean;
  readonly env: Partial<Environment>;
}

/** A fault in one line, with a value that would do. */
export const describeFault = ([name, problem]: Fault): string =>
  `${name} ${problem}. Example: ${name}=${environmentSchema.shape[name].meta()?.example}`;

// Two characters that no text of the description has: they enclose the name of a variable.
const [opening, closing] = ['\u{e000}', '\u{e001}'];
const variables = /\u{e000}(\w+)\u{e001}/u;

/** A variable of the environment, as part of a text. */
export const variable = (name: string): string => `${opening}${name}${closing}`;

/**
 * Writes a text that may refer to variables.
 * @param writeText writes a part that is the same for everybody
 * @param writeVariable writes a variable by its name
 */
export const writeParts = (
  text: string,
  writeText: (part: string) => string,
  writeVariable: (name: string) => string,
): readonly string[] =>
  text
    .split(variables)
    .map((part, index) => (index % 2 === 0 ? part && writeText(part) : writeVariable(part)))
    .filter((part) => part !== '');

/** Whether a text refers to a variable. */
export const hasVariable = (text: string): boolean => variables.test(text);

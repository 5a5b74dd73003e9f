import type { SampleRequest } from './sample-request.ts';
import { hasVariable, writeParts } from './variables.ts';
import { type Notation, writeValue } from './write-value.ts';

/** A text within a template literal. */
const inTemplate = (text: string) =>
  JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll('`', '\\`').replaceAll('${', '\\${');

const quote = (text: string): string =>
  hasVariable(text)
    ? `\`${writeParts(text, inTemplate, (name) => `\${process.env.${name}}`).join('')}\``
    : JSON.stringify(text);

const notation: Notation = {
  text: quote,
  name: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name)),
  words: { true: 'true', false: 'false', null: 'null' },
  indent: '  ',
  lastComma: ',',
  padding: ' ',
};

/** A request in TypeScript, with `fetch`. */
export function toTypeScript({ method, url, headers, body, form, returnsJson }: SampleRequest): string {
  const options = [
    ...(method === 'GET' ? [] : [`  method: "${method}",`]),
    ...(headers.length > 0 ? [`  headers: ${writeValue(Object.fromEntries(headers), notation, '  ')},`] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${writeValue(body, notation, '  ')}),`]),
    ...(form
      ? [`  body: new URLSearchParams(${writeValue(Object.fromEntries(form), notation, '  ')}),`]
      : []),
  ];
  const init = options.length > 0 ? `, {\n${options.join('\n')}\n}` : '';
  const shown = returnsJson ? 'response.status, await response.json()' : 'response.status, response.headers';
  return `const response = await fetch(${quote(url)}${init});\nconsole.log(${shown});`;
}

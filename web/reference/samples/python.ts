import type { SampleRequest } from './sample-request.ts';
import { hasVariable, writeParts } from './variables.ts';
import { type Notation, writeValue } from './write-value.ts';

/** A text within an f-string. A JSON text is also a text of Python. */
const inFormat = (text: string) =>
  JSON.stringify(text).slice(1, -1).replaceAll('{', '{{').replaceAll('}', '}}');

const quote = (text: string): string =>
  hasVariable(text)
    ? `f"${writeParts(text, inFormat, (name) => `{os.environ['${name}']}`).join('')}"`
    : JSON.stringify(text);

const notation: Notation = {
  text: quote,
  name: JSON.stringify,
  words: { true: 'True', false: 'False', null: 'None' },
  indent: '    ',
  lastComma: ',',
  padding: '',
};

/** A request in Python, with the standard library. */
export function toPython({ method, url, headers, body, form, returnsJson }: SampleRequest): string {
  const given = [
    quote(url),
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(headers.length > 0 ? [`headers=${writeValue(Object.fromEntries(headers), notation, '    ')}`] : []),
    ...(body === undefined ? [] : [`data=json.dumps(${writeValue(body, notation, '    ')}).encode()`]),
    ...(form ? [`data=urlencode(${writeValue(Object.fromEntries(form), notation, '    ')}).encode()`] : []),
  ];
  const shown = returnsJson ? 'response.status, json.load(response)' : 'response.status, response.headers';
  const code = [
    'request = Request(',
    ...given.map((each) => `    ${each},`),
    ')',
    'with urlopen(request) as response:',
    `    print(${shown})`,
  ].join('\n');
  const modules = ['json', 'os'].filter((name) => code.includes(`${name}.`));
  const imports = [
    ...modules.map((name) => `import ${name}`),
    ...(form ? ['from urllib.parse import urlencode'] : []),
    'from urllib.request import Request, urlopen',
  ];
  return [...imports, '', code].join('\n');
}

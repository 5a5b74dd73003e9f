import { writeJson } from './curl.ts';
import type { SampleRequest } from './sample-request.ts';
import { writeParts } from './variables.ts';

const getVariable = (name: string) => `os.Getenv("${name}")`;

/** A text of Go. A JSON text is also one of Go. */
const quote = (text: string): string => writeParts(text, JSON.stringify, getVariable).join('+') || '""';

/** A text of several lines. */
const quoteLines = (text: string): string =>
  text.includes('`') ? quote(text) : writeParts(text, (part) => `\`${part}\``, getVariable).join('+');

const stop = ['\tif err != nil {', '\t\tpanic(err)', '\t}'];

/** The body of a request; undefined: it has none. */
function bodyOf({ body, form }: SampleRequest): string | undefined {
  if (body !== undefined) return quoteLines(writeJson(body));
  if (!form) return undefined;
  const values = form.map(([name, value]) => `${JSON.stringify(name)}: {${quote(value)}}`);
  return `url.Values{${values.join(', ')}}.Encode()`;
}

/** A request in Go, with the standard library. */
export function toGo(request: SampleRequest): string {
  const { method, url, headers } = request;
  const body = bodyOf(request);
  const reader = body === undefined ? 'nil' : 'body';
  const main = [
    'func main() {',
    ...(body === undefined ? [] : [`\tbody := strings.NewReader(${body})`]),
    `\trequest, err := http.NewRequest("${method}", ${quote(url)}, ${reader})`,
    ...stop,
    ...headers.map(([name, value]) => `\trequest.Header.Set(${JSON.stringify(name)}, ${quote(value)})`),
    '\tresponse, err := http.DefaultClient.Do(request)',
    ...stop,
    '\tdefer response.Body.Close()',
    '\ttext, err := io.ReadAll(response.Body)',
    ...stop,
    '\tfmt.Println(response.Status, string(text))',
    '}',
  ].join('\n');
  const packages = ['fmt', 'io', 'net/http', 'net/url', 'os', 'strings'];
  const used = packages.filter((name) => main.includes(`${name.replace('net/', '')}.`));
  return ['package main', '', 'import (', ...used.map((name) => `\t"${name}"`), ')', '', main].join('\n');
}

import type { SampleRequest } from './sample-request.ts';
import { hasVariable, writeParts } from './variables.ts';
import { writeValue } from './write-value.ts';

/** A shell takes everything between single quotes as it is; a single quote itself stands outside of them. */
const single = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The characters that a shell also takes as they are between double quotes. */
const plain = /^[\w .,:;/=@?&%+-]*$/;

/** Quotes a text for a POSIX shell. Only variables are expanded. */
function quoteForShell(text: string): string {
  if (!hasVariable(text)) return single(text);
  const isPlain = plain.test(
    writeParts(
      text,
      (part) => part,
      () => '',
    ).join(''),
  );
  return isPlain
    ? `"${writeParts(
        text,
        (part) => part,
        (name) => `$${name}`,
      ).join('')}"`
    : writeParts(text, single, (name) => `"$${name}"`).join('');
}

/** JSON for a body in a sample. */
export const writeJson = (value: unknown): string =>
  writeValue(value, {
    text: JSON.stringify,
    name: JSON.stringify,
    words: { true: 'true', false: 'false', null: 'null' },
    indent: '  ',
    lastComma: '',
    padding: ' ',
  });

/** A request whose body is already text. */
export interface WrittenRequest extends Pick<SampleRequest, 'method' | 'url' | 'headers'> {
  readonly text?: string | undefined;
  /** Sent as a form, each parameter encoded by curl itself. */
  readonly form?: SampleRequest['form'];
}

/** A request as a command of curl. */
export const writeCurl = ({ method, url, headers, text, form = [] }: WrittenRequest): string =>
  [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoteForShell(url)}`,
    ...headers.map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    ...(text === undefined ? [] : [`-d ${quoteForShell(text)}`]),
    ...form.map(([name, value]) => `--data-urlencode ${quoteForShell(`${name}=${value}`)}`),
  ].join(' \\\n  ');

/** A sample as a command of curl. */
export const toCurl = ({ body, ...request }: SampleRequest): string =>
  writeCurl({ ...request, text: body === undefined ? undefined : writeJson(body) });

import { writeCurl } from '../samples/curl.ts';
import { secrets, withoutSecrets } from '../samples/sample-request.ts';
import { type Entered, writeForm } from './read-form.ts';

const placeholder = (name: string) => `<${name}>`;

/** The members of what a person enters that hold secrets: also the headers of a webhook endpoint. */
const secretMembers = { ...secrets, headers: 'HEADER_VALUE' };

/** A body with placeholders for its secrets. A body without secrets stays to the letter: its numbers may be long. */
const describeBody = (text: string): string => {
  const body: unknown = JSON.parse(text);
  const shown = JSON.stringify(withoutSecrets(body, placeholder, secretMembers), null, 2);
  return shown === JSON.stringify(body, null, 2) ? text : shown;
};

/** The request as a command of curl, with placeholders for the token and other secrets. */
export const describeRequest = (
  { method, path, headers, form, text }: Entered,
  origin: string,
  hasToken: boolean,
): string =>
  writeCurl({
    method,
    url: origin + path,
    headers: [
      ...(hasToken ? [['Authorization', `Bearer ${placeholder('ACCESS_TOKEN')}`] as const] : []),
      ...headers.map(([name, value, isSecret]) => [name, isSecret ? placeholder('API_KEY') : value] as const),
    ],
    text: form
      ? writeForm(form.map(([name, value, isSecret]) => [name, isSecret ? 'API_KEY' : value]))
      : text && describeBody(text),
  });

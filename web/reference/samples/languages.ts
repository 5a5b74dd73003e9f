import { toCurl } from './curl.ts';
import { toGo } from './go.ts';
import { toPython } from './python.ts';
import type { SampleRequest } from './sample-request.ts';
import { toTypeScript } from './typescript.ts';

/**
 * The languages of the samples. Why not a library: none of those compared can read a secret from the environment, and
 * each writes wrong code for some texts with quotes or line breaks (`@scalar/snippetz` in JavaScript,
 * `@readme/httpsnippet` in curl, JavaScript and Python).
 */
export const languages = [
  { id: 'curl', name: 'curl', write: toCurl },
  { id: 'typescript', name: 'TypeScript', write: toTypeScript },
  { id: 'python', name: 'Python', write: toPython },
  { id: 'go', name: 'Go', write: toGo },
] as const satisfies readonly { id: string; name: string; write: (request: SampleRequest) => string }[];

/** The id of a language. */
export type Language = (typeof languages)[number]['id'];

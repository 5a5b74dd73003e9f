import { readFileSync } from 'node:fs';

/** The version of the running service, from package.json. */
export const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

import { readFileSync } from 'node:fs';

/** The version of this service that runs, as its package says. */
export const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

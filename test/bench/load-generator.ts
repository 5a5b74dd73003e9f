import type { LoadGenerator } from './load.ts';
import { generate } from './own-generator.ts';
import { hasWrk, runWrk } from './wrk.ts';

/** Connections of a load generator, unless told otherwise. */
export const usualConnections = 16;

const wrk = hasWrk();

/** What makes the load here. */
export const loadGeneratorName = (connections: number): string =>
  `${wrk ? 'wrk, at half load ' : ''}the generator of this folder, ${connections === 1 ? '1 connection' : `${connections} connections`}`;

/**
 * wrk at full load where it is on the PATH, else the project's own generator; that one always where a rate is to be
 * kept, which wrk cannot.
 * @param folder for its files
 */
export const createLoadGenerator = (folder: string, connections = usualConnections): LoadGenerator => ({
  saturate: (target, seconds) =>
    wrk ? runWrk(target, { folder, connections, seconds }) : generate(target, { connections, seconds }),
  pace: (target, seconds, rate) => generate(target, { connections, seconds, rate }),
});

import { constants } from 'node:os';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Resolves with the signal when the process is told to stop. */
export type Stopped = Promise<(typeof signals)[number]>;

/** What a terminal sends reaches each process, and npm and a supervisor pass it on: one signal within these milliseconds. */
const repeatedWithin = 500;

/**
 * Resolves at the first SIGTERM, SIGINT, or SIGHUP (the terminal is closed), for the process to stop in good order.
 * A later one ends it at once, with 128 and the signal's number as exit code.
 */
export const firstSignal = (): Stopped =>
  new Promise((resolve) => {
    let firstAt: number | undefined;
    const heed = (signal: (typeof signals)[number]) => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > repeatedWithin) process.exit(128 + constants.signals[signal]);
      resolve(signal);
    };
    for (const signal of signals) process.on(signal, heed);
  });

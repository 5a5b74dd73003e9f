import { constants } from 'node:os';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Resolves with the signal when the process is told to stop. */
export type Stopped = Promise<(typeof signals)[number]>;

/**
 * In milliseconds. A terminal sends a signal to every process of its group, and npm and a supervisor pass the signal
 * on too. So all signals within this time count as one.
 */
const repeatedWithin = 500;

/**
 * Resolves at the first SIGTERM, SIGINT, or SIGHUP (the terminal was closed), so that the process stops in good
 * order. A later signal ends the process at once; the exit code is 128 plus the signal's number.
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

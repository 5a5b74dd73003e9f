import { parse } from 'graphql';

/** The processor time of this thread that something takes, in milliseconds: the mean of three, as the system counts it coarsely. */
export async function processorTime(act: (round: number) => Promise<void> | void): Promise<number> {
  const before = process.threadCpuUsage();
  for (const round of [1, 2, 3]) await act(round);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 3000;
}

const document = `{ ${'field(argument: [1, 2, 3]) { nested } '.repeat(100)} }`;

let most: Promise<number> | undefined;

/**
 * The most that a document may cost, measured once on this machine: as much as graphql-js needs to parse it two thousand
 * times, some 100 ms on a processor of 2024.
 * @returns milliseconds of processor time
 */
export const mostOfDocument = (): Promise<number> => {
  most ??= processorTime(() => {
    for (let time = 0; time < 500; time += 1) parse(document, { noLocation: true });
  }).then((quarter) => 4 * quarter);
  return most;
};

/** How often a worker gives a sign that it lives, in milliseconds. */
export const signInterval = 1000;

/** What a worker tells the process that supervises it. Metrics take the same channel, with messages of their own. */
export type WorkerMessage = 'alive' | { readonly greeting: string };

/** The greeting in a message, if it is one. */
export const greetingOf = (message: unknown): string | undefined =>
  (message as { greeting?: string } | null)?.greeting;

/** Tells the process that supervises this one something, if it is still there. */
export function tellSupervisor(message: WorkerMessage): void {
  if (process.connected) process.send?.(message);
}

/** Gives a sign each second that this worker lives: its event loop turns. Disposing of it ends that. */
export function giveSigns(): Disposable {
  const timer = setInterval(() => tellSupervisor('alive'), signInterval).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

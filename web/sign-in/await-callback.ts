import { channelName } from './callback-channel.ts';

/** How often it is looked whether the window was closed, and how long an answer may come after it; in milliseconds. */
const interval = 250;

/**
 * Waits for what the provider answers, whichever way it comes back: its own pages may have cut the tie between the
 * windows, so it is not taken from the window itself.
 * @param popup the window in which the person signs in
 * @param state tells this sign-in from others, such as those of another tab
 * @param signal ends the waiting
 * @returns the parameters of the answer, not yet checked
 * @throws {Error} where the window was closed
 */
export async function awaitCallback(
  popup: Window,
  state: string,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  const channel = new BroadcastChannel(channelName);
  let watch: ReturnType<typeof setInterval> | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error('The window for signing in was closed.'));
      let wasClosed = false;
      watch = setInterval(() => {
        if (wasClosed) giveUp();
        wasClosed = popup.closed;
      }, interval);
      signal.addEventListener('abort', giveUp);
      channel.addEventListener('message', ({ data }: MessageEvent<string>) => {
        const answer = new URLSearchParams(data);
        if (answer.get('state') === state) resolve(answer);
      });
    });
  } finally {
    clearInterval(watch);
    channel.close();
  }
}

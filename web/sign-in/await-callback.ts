import { pageLanguage } from '../shared/page-language.ts';
import { channelName } from './callback-channel.ts';

/** How often to check whether the window was closed, and how long a response may come after that; in milliseconds. */
const interval = 250;

/**
 * Waits for the response of the provider. It comes over a channel and not from the window itself, because the
 * provider's pages may have cut the tie between the windows.
 * @param popup the window in which the person signs in
 * @param state tells this sign-in apart from others, such as one in another tab
 * @param signal stops waiting
 * @returns the parameters of the response, not yet checked
 * @throws {Error} if the window was closed
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
      const giveUp = () => reject(new Error(pageLanguage().text('sign-in.window-closed')));
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

import { channelName } from '../sign-in/callback-channel.ts';

// The page that opened this window waits for it; the code is of no use to anyone without its verifier.
new BroadcastChannel(channelName).postMessage(location.search);
history.replaceState(null, '', location.pathname);
window.close();

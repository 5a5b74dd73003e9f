/** By which the window of a sign-in tells the page that opened it what the provider has answered. */
export const channelName = 'keyward-sign-in';

/** The redirect URI: the page that the provider sends a person back to. */
export const callbackUrl = (): string => `${location.origin}/sign-in/callback`;

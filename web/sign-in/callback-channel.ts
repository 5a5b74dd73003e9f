/** The channel on which the sign-in window passes the response of the provider to the page that opened it. */
export const channelName = 'keyward-sign-in';

/** The redirect URI: the page to which the provider sends a person back. */
export const callbackUrl = (): string => `${location.origin}/sign-in/callback`;

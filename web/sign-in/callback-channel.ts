import { nameHere, urlOf } from '../shared/place.ts';

/** The channel on which the sign-in window passes the response of the provider to the page that opened it. */
export const channelName: string = nameHere('keyward-sign-in');

/** The redirect URI: the page to which the provider sends a person back. */
export const callbackUrl: string = urlOf('sign-in/callback');

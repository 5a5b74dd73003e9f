import type { Plugin } from 'graphql-yoga';
import { GatewayError } from '../errors.ts';
import { errorAnswer } from './error-answer.ts';
import type { Load } from './load.ts';

/**
 * Refuses requests with 503 while there is too much to do, before anything is done for them: so those that are taken
 * on are answered in time, and memory stays bounded.
 */
export const useLoadShedding = (load: Load): Plugin => ({
  onRequest: ({ url, endResponse, fetchAPI }) => {
    load.makeRoom();
    if (!load.isTooMuch) return;
    load.noteRefusal();
    endResponse(errorAnswer(overloaded(), url.pathname, fetchAPI));
  },
});

// Without a reason for the log: thousands would say the same in a second.
const overloaded = () =>
  new GatewayError('SERVICE_UNAVAILABLE', 'Service Unavailable', { headers: { 'retry-after': '1' } });

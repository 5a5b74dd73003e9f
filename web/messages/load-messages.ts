import { fetchInTime } from '../shared/fetch-in-time.ts';
import type { CompiledMessages } from './compiled-message.ts';

/** The texts of a language, as the service sends them. */
export interface LoadedMessages {
  /** The language: English if there are no texts in the one that was asked for. */
  readonly language: string;
  readonly messages: CompiledMessages;
}

/**
 * Loads the texts of a language.
 * @throws {Error} with a sentence for a person
 */
export async function loadMessages(url: string): Promise<LoadedMessages> {
  const response = await fetchInTime(url, {}, 'Try again in a moment.');
  if (!response.ok) throw new Error('Keyward is not available right now. Try again in a moment.');
  return response.json();
}

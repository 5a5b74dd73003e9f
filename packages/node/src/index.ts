import { createCheck, notFound, readNeeds } from './check.ts';
import { createCircuit } from './circuit.ts';
import { fetchJson, logError, malformed, tell, within } from './fetch-json.ts';
import type { ApiKeyVerification, VerifyApiKeyRequest } from './generated/openapi.ts';
import { readAddress, readKey } from './request.ts';
import { type Checker, KeywardError, type Needs, type Verification } from './types.ts';

export type { Caller, CallerRequest, Checker, Needs, Outcome, Refusal, Verification } from './types.ts';
export { KeywardError };

/** How to reach Keyward. */
export interface KeywardOptions {
  /** Keyward's URL, such as `https://keys.example.com`. */
  readonly url: string;
  /** Your server's secret (`kws_…`) or an access token; or a function that returns one, called for each request. */
  readonly credential: string | (() => string | Promise<string>);
  /** The longest wait for Keyward, in milliseconds (at most 600,000). Default: 5000. */
  readonly timeout?: number;
  /** Called if asking Keyward fails. Default: writes one line to stderr. */
  readonly onError?: (error: KeywardError) => void;
}

/** Asks Keyward about API keys. */
export interface Keyward extends Checker {
  /**
   * Verifies an API key.
   * @param key as the client sent it
   * @param needs also the client's IP address, if it is known
   * @throws {KeywardError} if Keyward does not say: refuse the request
   */
  verify(key: string, needs?: Needs & { readonly address?: string | undefined }): Promise<Verification>;
}

/** Whether an answer says clearly that a request may pass, or that it may not. */
function isVerification(answer: unknown): answer is Verification {
  const { valid, reason, key_id, user_id } = (answer ?? {}) as Partial<ApiKeyVerification>;
  if (valid === false) return typeof reason === 'string';
  return valid === true && Number.isInteger(key_id) && Number.isInteger(user_id);
}

/** Keys and credentials are visible ASCII. */
const isVisible = /^[\x21-\x7e]+$/;

/** Reads the credential. */
async function readCredential(credential: KeywardOptions['credential']): Promise<string> {
  try {
    const text = (typeof credential === 'function' ? await credential() : credential).trim();
    if (isVisible.test(text)) return text;
  } catch {}
  // An error of the function, or of `fetch`, could repeat it.
  throw new KeywardError('The credential cannot be read, or is not ASCII');
}

/** What JSON leaves out if it is undefined. */
type Question = Omit<VerifyApiKeyRequest, 'address'> & { readonly address: string | undefined };

/** Makes what asks Keyward, and reports how that ended. */
function createAsk({ url, credential, timeout = 5000, onError = logError }: KeywardOptions) {
  // It may have a path, but no user, query or fragment.
  if (!/^https?:\/\/[^?#@\s]+$/.test(url) || !credential)
    throw new TypeError('url or credential is malformed');
  if (!(timeout > 0 && timeout <= 600_000)) throw new TypeError('timeout is malformed');
  const target = `${url.replace(/\/+$/, '')}/api/v1/keys/verify`;
  const enter = createCircuit();

  return async (question: Question): Promise<Verification> => {
    const report = enter();
    if (!report) throw new KeywardError('Keyward has just failed');
    let isAsked = false;
    try {
      const answer = await within(timeout, async (signal) => {
        const authorization = `Bearer ${await readCredential(credential)}`;
        isAsked = true;
        const headers = { authorization, 'content-type': 'application/json' };
        return fetchJson(target, { method: 'POST', headers, body: JSON.stringify(question), signal });
      });
      if (!isVerification(answer)) throw malformed();
      report(false);
      return answer;
    } catch (caught) {
      const error = caught as KeywardError;
      const { status = 0 } = error;
      report(isAsked ? status < 400 || status >= 500 : undefined);
      tell(onError, error);
      throw error;
    }
  };
}

/**
 * Makes what asks Keyward about API keys.
 * @throws {TypeError} if an option is missing or malformed
 */
export function createKeyward(options: KeywardOptions): Keyward {
  const ask = createAsk(options);

  const verify: Keyward['verify'] = async (key, { address, ...given } = {}) => {
    const question = { key, ...readNeeds(given), address: readAddress(address) };
    // No other text is a key.
    if (!isVisible.test(key) || key.length > 1000) return notFound;
    return ask(question);
  };
  return { check: createCheck(readKey, verify), verify };
}

import type { Language } from '../../messages/language.ts';
import { invalid } from '../api/problem.ts';

/**
 * What is wrong with a private key. The message names the fault: the service names only the right format. The
 * service alone checks that the number is valid for the curve.
 * @returns a sentence; undefined if nothing is wrong
 */
function findFault({ text }: Language, typed: string): string | undefined {
  if (typed === '') return text('private-key.missing');
  if (/\s/.test(typed)) return text('private-key.has-spaces');
  const digits = typed.replace(/^0x/, '');
  const other = /[^\da-f]/iu.exec(digits)?.[0];
  if (other !== undefined) return text('private-key.has-other', { other });
  if (digits.length === 64) return undefined;
  return text('private-key.wrong-length', { count: digits.length });
}

/**
 * The private key that was typed, without white space at its ends, which copying may add.
 * @throws {Problem} if it is not valid
 */
export function readPrivateKey(language: Language, form: FormData): string {
  const privateKey = `${form.get('private-key')}`.trim();
  const fault = findFault(language, privateKey);
  if (fault !== undefined) throw invalid('privateKey', fault);
  return privateKey;
}

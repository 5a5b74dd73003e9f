import { invalid } from '../api/problem.ts';

/**
 * What is wrong with a text that is to be a private key, in words that name the fault: the service says only what is
 * wanted. Whether the number is in the range of the curve is left to it.
 * @returns a sentence; undefined where nothing is found
 */
function findFault(text: string): string | undefined {
  if (text === '') return 'Paste or type the private key.';
  if (/\s/.test(text)) return 'White space is not allowed within it: take out spaces and line breaks.';
  const digits = text.replace(/^0x/, '');
  const other = /[^\da-f]/iu.exec(digits)?.[0];
  if (other !== undefined)
    return `“${other}” is not allowed: it has only the digits 0 to 9 and the letters a to f.`;
  if (digits.length === 64) return undefined;
  return `A private key has 64 digits; this has ${digits.length}.`;
}

/**
 * The private key that was typed; white space at its ends, which copying brings, is left out.
 * @throws {Problem} where it cannot be one
 */
export function readPrivateKey(form: FormData): string {
  const privateKey = `${form.get('private-key')}`.trim();
  const fault = findFault(privateKey);
  if (fault !== undefined) throw invalid('privateKey', fault);
  return privateKey;
}

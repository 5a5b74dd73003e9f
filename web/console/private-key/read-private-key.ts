import { invalid } from '../api/problem.ts';

/**
 * What is wrong with a private key. The message names the fault: the service names only the right format. The
 * service alone checks that the number is valid for the curve.
 * @returns a sentence; undefined if nothing is wrong
 */
function findFault(text: string): string | undefined {
  if (text === '') return 'Paste or type the private key.';
  if (/\s/.test(text)) return 'Spaces and line breaks are not allowed. Remove them.';
  const digits = text.replace(/^0x/, '');
  const other = /[^\da-f]/iu.exec(digits)?.[0];
  if (other !== undefined)
    return `“${other}” is not allowed. Use only the digits 0 to 9 and the letters a to f.`;
  if (digits.length === 64) return undefined;
  return `A private key has 64 digits; this text has ${digits.length}.`;
}

/**
 * The private key that was typed, without white space at its ends, which copying may add.
 * @throws {Problem} if it is not valid
 */
export function readPrivateKey(form: FormData): string {
  const privateKey = `${form.get('private-key')}`.trim();
  const fault = findFault(privateKey);
  if (fault !== undefined) throw invalid('privateKey', fault);
  return privateKey;
}

import type { Language } from '../../messages/language.ts';
import { invalid } from '../api/problem.ts';

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** The largest Int of GraphQL. The service has lower limits, and its errors name them. */
const mostInt = 2 ** 31 - 1;

/** A number, and the first letter of its unit: `90`, `90 s`, `1.5 h`, `30 minutes`. */
const form =
  /^(\d+(?:[.,]\d+)?)\s*(?:(s)(?:ec(?:onds?)?)?|(m)(?:in(?:utes?)?)?|(h)(?:ours?)?|(d)(?:ays?)?)?$/i;

/**
 * Reads a length of time that was typed: seconds, or a number with a unit.
 * @returns the seconds; null if the text is empty
 * @throws {Problem} if the text is no length of time
 */
export function readDuration(language: Language, text: string): number | null {
  if (text.trim() === '') return null;
  const [, number = '', ...letters] = form.exec(text.trim()) ?? [];
  const unit = letters.find((letter) => letter !== undefined) ?? 's';
  const seconds = Math.round(Number(number.replace(',', '.')) * (units[unit.toLowerCase()] ?? 1));
  if (seconds > mostInt) throw invalid('sessionDuration', language.text('automation.too-long'));
  if (number !== '') return seconds;
  throw invalid('sessionDuration', language.text('automation.not-a-duration'));
}

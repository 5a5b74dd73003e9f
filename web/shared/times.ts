// The pages are in English, and so are their dates. In this format, nobody can mistake the month for the day.
const locale = 'en-GB';
const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long' });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const distance = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `21 Nov 2026, 15:04`, in the person's time zone. */
export const absolute = (at: Date): string => dateTime.format(at);

/** `15:04`, in the person's time zone. */
export const timeOfDay = (at: Date): string => clock.format(at);

/** `Today`, `Yesterday`, or `12 November 2026`. */
export const dayOf = (at: Date, now: Date): string => {
  const days = Math.round((startOfDay(at) - startOfDay(now)) / 86_400_000);
  if (days === 0) return 'Today';
  return days === -1 ? 'Yesterday' : day.format(at);
};

const startOfDay = (at: Date): number => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

/** How far a time is from now: `3 days ago`, `in 2 weeks`, `just now`. */
export function relative(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? [];
  return unit ? distance.format(Math.round(seconds / size), unit) : 'just now';
}

const parts = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A length of time in words: `1 hour 30 minutes`. */
export function duration(seconds: number): string {
  let rest = seconds;
  const words: string[] = [];
  for (const [unit, size] of parts) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) words.push(`${count} ${unit}${count === 1 ? '' : 's'}`);
  }
  return words.join(' ') || '0 seconds';
}

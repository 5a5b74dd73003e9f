/** Writes times, in the person's time zone. */
export interface Times {
  /** `21 Nov 2026, 15:04`. */
  readonly absolute: (at: Date) => string;
  /** `21 Nov 2026`. */
  readonly date: (at: Date) => string;
  /** `15:04`. */
  readonly timeOfDay: (at: Date) => string;
  /** `Today`, `Yesterday`, or `12 November 2026`. */
  readonly dayOf: (at: Date, now: Date) => string;
  /** How far a time is from now: `3 days ago`, `in 2 weeks`, `just now`. */
  readonly relative: (at: Date, now: Date) => string;
  /** A length of time, in seconds: `1 hour 30 minutes`. */
  readonly duration: (seconds: number) => string;
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const parts = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

const startOfDay = (at: Date): number => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

/** Makes what is costly when it is first needed. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Makes the times of a language.
 * @param text gives what `Intl` has no words for
 */
export function createTimes(
  locale: string,
  text: (id: 'common.today' | 'common.yesterday' | 'common.just-now') => string,
): Times {
  const dates = (options: Intl.DateTimeFormatOptions) => {
    const format = once(() => new Intl.DateTimeFormat(locale, options));
    return (at: Date) => format().format(at);
  };
  const day = dates({ dateStyle: 'long' });
  const distance = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'always' }));
  const lengths = once(() =>
    parts.map(([unit]) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format),
  );
  return {
    absolute: dates({ dateStyle: 'medium', timeStyle: 'short' }),
    date: dates({ dateStyle: 'medium' }),
    timeOfDay: dates({ timeStyle: 'short' }),
    dayOf: (at, now) => {
      const days = Math.round((startOfDay(at) - startOfDay(now)) / 86_400_000);
      if (days === 0) return text('common.today');
      return days === -1 ? text('common.yesterday') : day(at);
    },
    relative: (at, now) => {
      const seconds = (at.getTime() - now.getTime()) / 1_000;
      const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? [];
      return unit ? distance().format(Math.round(seconds / size), unit) : text('common.just-now');
    },
    duration: (seconds) => {
      let rest = seconds;
      const words: string[] = [];
      for (const [index, [, size]] of parts.entries()) {
        const count = Math.floor(rest / size);
        rest -= count * size;
        const isLast = index === parts.length - 1;
        if (count > 0 || (isLast && words.length === 0)) words.push(lengths()[index]?.(count) ?? '');
      }
      return words.join(' ');
    },
  };
}

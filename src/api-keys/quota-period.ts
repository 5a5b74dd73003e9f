import type { QuotaRefill } from '../database/tables.ts';

/** When the period of a quota ends in which this moment lies; null: never. Days and months begin at 00:00 UTC. */
export function nextRefill(refill: QuotaRefill, now: Date): Date | null {
  if (refill === 'never') return null;
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  return new Date(refill === 'daily' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1));
}

import type { Language } from '../../messages/language.ts';
import type { ApiKey } from './api-key.ts';

/** Who paused a key, after “Paused”. */
export const pauserOf = ({ text }: Language, pausedBy: ApiKey['pausedBy']): string =>
  text('key.pauser', { who: pausedBy ?? 'OPERATOR' });

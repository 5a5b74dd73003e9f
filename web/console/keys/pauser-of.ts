import type { ApiKey } from './api-key.ts';

/** Who paused a key, after “Paused”. */
export function pauserOf(pausedBy: ApiKey['pausedBy']): string {
  switch (pausedBy) {
    case 'OWNER':
      return 'by the owner of the key';
    case 'SCANNER':
      return 'because it was found in public';
    default:
      return 'by an operator';
  }
}

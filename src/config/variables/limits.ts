import { seconds } from '../kinds.ts';

/** What callers may ask for. */
export const limitVariables = {
  SESSION_DURATION_MIN: seconds(1, 999_999_999).default(60).meta({
    description: 'Least `session_duration`, in seconds',
    example: '60',
  }),
  SESSION_DURATION_MAX: seconds(1, 999_999_999).default(86_400).meta({
    description: 'Greatest `session_duration`, in seconds',
    example: '86400',
  }),
};

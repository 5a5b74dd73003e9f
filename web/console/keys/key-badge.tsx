import { Badge } from '../ui/badge.tsx';
import { useLanguage } from '../ui/host.ts';
import { type ApiKeyState, stateOf } from './api-key.ts';

const tones = {
  active: 'good',
  paused: 'warn',
  expired: 'warn',
  deactivated: 'muted',
} as const satisfies Record<ApiKeyState, string>;

interface KeyBadgeProps {
  readonly apiKey: Parameters<typeof stateOf>[0];
  readonly now: Date;
}

/** The state of a key in a word. */
export function KeyBadge({ apiKey, now }: KeyBadgeProps) {
  const { text } = useLanguage();
  const state = stateOf(apiKey, now);
  return <Badge tone={tones[state]}>{text(`keys.state-${state}`)}</Badge>;
}

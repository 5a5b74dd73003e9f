import { Badge } from '../ui/badge.tsx';
import { type ApiKeyState, stateOf } from './api-key.ts';

const badges = {
  active: <Badge tone="good">Active</Badge>,
  paused: <Badge tone="warn">Paused</Badge>,
  expired: <Badge tone="warn">Expired</Badge>,
  deactivated: <Badge tone="muted">Inactive</Badge>,
} satisfies Record<ApiKeyState, unknown>;

interface KeyBadgeProps {
  readonly apiKey: Parameters<typeof stateOf>[0];
  readonly now: Date;
}

/** The state of a key in a word. */
export const KeyBadge = ({ apiKey, now }: KeyBadgeProps) => badges[stateOf(apiKey, now)];

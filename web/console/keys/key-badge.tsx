import { Badge } from '../ui/badge.tsx';
import { type ApiKey, type ApiKeyState, stateOf } from './api-key.ts';

const badges = {
  active: <Badge tone="good">Active</Badge>,
  expired: <Badge tone="warn">Expired</Badge>,
  deactivated: <Badge tone="muted">Inactive</Badge>,
} satisfies Record<ApiKeyState, unknown>;

/** The state of a key in a word. */
export const KeyBadge = ({ apiKey, now }: { readonly apiKey: ApiKey; readonly now: Date }) =>
  badges[stateOf(apiKey, now)];

import { Badge } from '../ui/badge.tsx';
import { useNow } from '../ui/use-now.ts';
import { type ApiKey, type ApiKeyState, expiresSoon, headingId, nameOf, stateOf } from './api-key.ts';
import { KeyActions } from './key-actions.tsx';
import type { KeyRequest } from './key-dialog.tsx';
import { KeyFacts } from './key-facts.tsx';
import { KeyLimits } from './key-limits.tsx';

const badges = {
  active: <Badge tone="good">Active</Badge>,
  expired: <Badge tone="warn">Expired</Badge>,
  deactivated: <Badge tone="muted">Inactive</Badge>,
} satisfies Record<ApiKeyState, unknown>;

/** The state of a key in a word. */
export const KeyBadge = ({ apiKey, now }: { readonly apiKey: ApiKey; readonly now: Date }) =>
  expiresSoon(apiKey, now) ? <Badge tone="warn">Expires soon</Badge> : badges[stateOf(apiKey, now)];

interface KeyItemProps {
  readonly apiKey: ApiKey;
  readonly isDefault: boolean;
  readonly onAsk: (request: KeyRequest) => void;
}

/** One API key. */
export function KeyItem({ apiKey, isDefault, onAsk }: KeyItemProps) {
  const now = useNow();
  const state = stateOf(apiKey, now);
  return (
    <li className={`card key ${state}`}>
      <div className="card-title">
        <h2 id={headingId(apiKey)} tabIndex={-1}>
          <bdi>{nameOf(apiKey)}</bdi>
        </h2>
        {isDefault && <Badge tone="accent">Default</Badge>}
        <KeyBadge apiKey={apiKey} now={now} />
      </div>
      <p className="hint">
        ID {apiKey.id}, begins with <code>{apiKey.keyPrefix}</code>
      </p>
      {apiKey.description && (
        <p className="description" dir="auto">
          {apiKey.description}
        </p>
      )}
      <KeyFacts apiKey={apiKey} state={state} />
      <KeyLimits apiKey={apiKey} state={state} />
      <KeyActions apiKey={apiKey} state={state} isDefault={isDefault} onAsk={onAsk} />
    </li>
  );
}

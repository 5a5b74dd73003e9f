import { Button } from '../ui/button.tsx';
import type { ApiKey } from './api-key.ts';
import { expiresSoon, nameOf } from './api-key.ts';

interface ExpiryWarningProps {
  readonly keys: readonly ApiKey[];
  readonly now: Date;
  /** Lists the keys that expire next first. */
  readonly onShow: () => void;
}

/** Warns of keys that expire soon, while there is time to replace them. */
export function ExpiryWarning({ keys, now, onShow }: ExpiryWarningProps) {
  const soon = keys.filter((key) => expiresSoon(key, now));
  const [first] = soon;
  if (!first) return null;
  return (
    <div className="warning expiry-warning">
      <p>
        {soon.length === 1 ? <bdi>{nameOf(first)}</bdi> : `${soon.length} keys`}
        {soon.length === 1 ? ' expires' : ' expire'} within 14 days. Create a new key and switch your programs
        to it before then.
      </p>
      {soon.length > 1 && (
        <Button look="quiet" onClick={onShow}>
          Show them first
        </Button>
      )}
    </div>
  );
}

import { useState } from 'preact/compat';
import { Button } from '../ui/button.tsx';
import { View } from '../ui/view.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeyList } from './key-list.tsx';
import { PlanLine } from './plan-line.tsx';
import { type NewSecret, SecretDialog } from './secret-dialog.tsx';

/** The person's API keys. */
export function KeysView() {
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<NewSecret>();
  const create = () => setCreating(true);
  const showSecret = (next: NewSecret) => {
    setCreating(false);
    setSecret(next);
  };
  return (
    <View
      title="API keys"
      action={
        <Button look="primary" onClick={create}>
          Create API key
        </Button>
      }
    >
      <PlanLine />
      <KeyList onCreate={create} />
      {creating && <CreateKeyDialog onSecret={showSecret} onDismiss={() => setCreating(false)} />}
      {secret && <SecretDialog secret={secret} onDone={() => setSecret(undefined)} />}
    </View>
  );
}

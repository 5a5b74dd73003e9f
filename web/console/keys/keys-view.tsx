import { useState } from 'preact/compat';
import { Button } from '../ui/button.tsx';
import { useLanguage, useMayChange } from '../ui/host.ts';
import { View } from '../ui/view.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeyList } from './key-list.tsx';
import { PlanLine } from './plan-line.tsx';
import { type NewSecret, SecretDialog } from './secret-dialog.tsx';

/** The person's API keys. */
export function KeysView() {
  const { text } = useLanguage();
  const canCreate = useMayChange();
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<NewSecret>();
  const create = () => setCreating(true);
  const showSecret = (next: NewSecret) => {
    setCreating(false);
    setSecret(next);
  };
  return (
    <View
      title={text('keys.title')}
      action={
        canCreate && (
          <Button look="primary" onClick={create}>
            {text('keys.create')}
          </Button>
        )
      }
    >
      <PlanLine />
      <KeyList onCreate={create} />
      {creating && <CreateKeyDialog onSecret={showSecret} onDismiss={() => setCreating(false)} />}
      {secret && <SecretDialog secret={secret} onDone={() => setSecret(undefined)} />}
    </View>
  );
}

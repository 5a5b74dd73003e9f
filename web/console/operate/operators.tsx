import { Suspense, useState } from 'preact/compat';
import { operatorScope } from '../../sign-in/settings.ts';
import { useSession } from '../../sign-in/use-session.ts';
import { SignInButton } from '../session/sign-in-button.tsx';
import { useLanguage } from '../ui/host.ts';
import { later } from '../ui/later.tsx';
import { Loading } from '../ui/loading.tsx';
import { View } from '../ui/view.tsx';

// Only operators need this, so others do not load it.
const OperateView = later(async () => (await import('./operate-view.tsx')).OperateView, 'key');

/** The view of operators. Others see how to sign in as one. */
export function Operators() {
  const { text } = useLanguage();
  const { session, chosenScopes } = useSession();
  const [wasOperator, setWasOperator] = useState(false);
  // An operator whose sign-in has expired stays on this view.
  const isOperator = session?.scopes.includes(operatorScope) ?? wasOperator;
  if (isOperator !== wasOperator) setWasOperator(isOperator);
  if (isOperator)
    return (
      <Suspense fallback={<Loading what={text('operate.view-loaded')} />}>
        <OperateView />
      </Suspense>
    );
  return (
    <View title={text('operate.title')} lead={text('operate.for-operators')}>
      <SignInButton label={text('operate.sign-in')} scopes={[...chosenScopes, operatorScope]} />
    </View>
  );
}

import { lazy, Suspense, useState } from 'preact/compat';
import { operatorScope } from '../../sign-in/settings.ts';
import { useSession } from '../../sign-in/use-session.ts';
import { SignInButton } from '../session/sign-in-button.tsx';
import { Loading } from '../ui/loading.tsx';
import { View } from '../ui/view.tsx';

// Of no use to others, who do not load it.
const OperateView = lazy(async () => ({ default: (await import('./operate-view.tsx')).OperateView }));

/** The view of operators; to others, how to become one. */
export function Operators() {
  const { session, chosenScopes } = useSession();
  const [wasOperator, setWasOperator] = useState(false);
  // Whoever is to sign in again goes on where they were.
  const isOperator = session?.scopes.includes(operatorScope) ?? wasOperator;
  if (isOperator !== wasOperator) setWasOperator(isOperator);
  if (isOperator)
    return (
      <Suspense fallback={<Loading what="this view" />}>
        <OperateView />
      </Suspense>
    );
  return (
    <View title="Operate" lead="For whoever runs this service. Your sign-in does not let you.">
      <SignInButton label="Sign in as an operator" scopes={[...chosenScopes, operatorScope]} />
    </View>
  );
}

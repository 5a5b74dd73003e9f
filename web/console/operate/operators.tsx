import { Suspense, useState } from 'preact/compat';
import { auditorScope, canSignIn, operatorScope } from '../../sign-in/settings.ts';
import { useSession } from '../../sign-in/use-session.ts';
import { SignInButton } from '../session/sign-in-button.tsx';
import { useLanguage } from '../ui/host.ts';
import { later } from '../ui/later.tsx';
import { Loading } from '../ui/loading.tsx';
import { View } from '../ui/view.tsx';

// Only operators and auditors need this, so others do not load it.
const OperateView = later(async () => (await import('./operate-view.tsx')).OperateView, 'key');

/** What somebody with these scopes may do here. */
function roleOf(scopes: readonly string[]): 'operator' | 'auditor' | undefined {
  if (scopes.includes(operatorScope)) return 'operator';
  return scopes.includes(auditorScope) ? 'auditor' : undefined;
}

/** The view of operators and auditors. Others see how to sign in as one. */
export function Operators() {
  const { text } = useLanguage();
  const { session } = useSession();
  const [formerRole, setFormerRole] = useState<ReturnType<typeof roleOf>>();
  // Whoever's sign-in has expired stays on this view.
  const role = session ? roleOf(session.scopes) : formerRole;
  if (role !== formerRole) setFormerRole(role);
  if (role !== undefined)
    return (
      <Suspense fallback={<Loading what={text('operate.view-loaded')} />}>
        <OperateView isOperator={role === 'operator'} />
      </Suspense>
    );
  return <Entrance />;
}

/** The ways to sign in as somebody who may open this view. */
function Entrance() {
  const { text } = useLanguage();
  const { chosenScopes } = useSession();
  return (
    <View title={text('operate.title')} lead={text('operate.for-operators')}>
      <div className="actions">
        <SignInButton label={text('operate.sign-in')} scopes={[...chosenScopes, operatorScope]} />
        {canSignIn() && (
          <SignInButton
            look="plain"
            label={text('operate.sign-in-as-auditor')}
            scopes={[...chosenScopes, auditorScope]}
          />
        )}
      </div>
    </View>
  );
}

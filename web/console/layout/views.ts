import { type ComponentType, lazy } from 'react';
import { useSession } from '../../sign-in/use-session.ts';
import { ActivityView } from '../activity/activity-view.tsx';
import { AutomationView } from '../automation/automation-view.tsx';
import { KeysView } from '../keys/keys-view.tsx';
import { PrivateKeyView } from '../private-key/private-key-view.tsx';

interface ViewLink {
  /** What stands in the URL after `#`; what follows it after a slash is the view's own. */
  readonly hash: string;
  readonly name: string;
  readonly View: ComponentType;
}

/** Views in the order of the navigation; the first is where one arrives. */
export type Views = readonly [ViewLink, ...ViewLink[]];

const views: Views = [
  { hash: '#keys', name: 'API keys', View: KeysView },
  { hash: '#private-key', name: 'Private key', View: PrivateKeyView },
  { hash: '#automation', name: 'Automation', View: AutomationView },
  { hash: '#activity', name: 'Activity', View: ActivityView },
];

// Of no use to others, who do not load it.
const OperateView = lazy(async () => ({
  default: (await import('../operate/operate-view.tsx')).OperateView,
}));

const forOperators: Views = [...views, { hash: '#operate', name: 'Operate', View: OperateView }];

/** The console's views for whoever is signed in, or was: an operator has one more. */
export function useViews(): Views {
  const { session, chosenScopes } = useSession();
  return (session?.scopes ?? chosenScopes).includes('keyward.admin') ? forOperators : views;
}

import type { ComponentType } from 'preact/compat';
import { offersOperators, operatorScope } from '../../sign-in/settings.ts';
import { ActivityView } from '../activity/activity-view.tsx';
import { AutomationView } from '../automation/automation-view.tsx';
import { KeysRoute } from '../key/keys-route.tsx';
import { Operators } from '../operate/operators.tsx';
import { PrivateKeyView } from '../private-key/private-key-view.tsx';
import { UsageView } from '../usage/usage-view.tsx';

interface ViewLink {
  /** The URL fragment, with its `#`. The view itself reads what follows a slash. */
  readonly hash: string;
  readonly name: string;
  readonly View: ComponentType;
  /** The scope that the link needs; without the scope, the link is hidden. */
  readonly scope?: string;
}

/** The console's views, in the order of the navigation. The first is the default. */
export const views: readonly [ViewLink, ...ViewLink[]] = [
  { hash: '#keys', name: 'API keys', View: KeysRoute },
  { hash: '#usage', name: 'Usage', View: UsageView },
  { hash: '#private-key', name: 'Private key', View: PrivateKeyView },
  { hash: '#automation', name: 'Automation', View: AutomationView },
  { hash: '#activity', name: 'Activity', View: ActivityView },
  ...(offersOperators ? [{ hash: '#operate', name: 'Operate', View: Operators, scope: operatorScope }] : []),
];

import type { ComponentType } from 'preact/compat';
import type { MessageId } from '../../messages/generated/messages.d.ts';
import { auditorScope, offersOperators, operatorScope } from '../../sign-in/settings.ts';
import { AutomationView } from '../automation/automation-view.tsx';
import { KeysRoute } from '../key/keys-route.tsx';
import { PrivateKeyView } from '../private-key/private-key-view.tsx';
import { later } from '../ui/later.tsx';

const UsageView = later(async () => (await import('../usage/usage-view.tsx')).UsageView, 'key');
const ActivityView = later(async () => (await import('../activity/activity-view.tsx')).ActivityView, 'key');
const Operators = later(async () => (await import('../operate/operators.tsx')).Operators, 'operate');

/** A view of the console. */
export interface ViewLink {
  /** The URL fragment, with its `#`. The view itself reads what follows a slash. */
  readonly hash: string;
  readonly name: MessageId & `console.view-${string}`;
  readonly View: ComponentType;
  /** The scopes of which the link needs one; without any, the link is hidden. */
  readonly scopes?: readonly string[];
}

/** The console's views, in the order of the navigation. The first is the default. */
export const views: readonly [ViewLink, ...ViewLink[]] = [
  { hash: '#keys', name: 'console.view-keys', View: KeysRoute },
  { hash: '#usage', name: 'console.view-usage', View: UsageView },
  { hash: '#private-key', name: 'console.view-private-key', View: PrivateKeyView },
  { hash: '#automation', name: 'console.view-automation', View: AutomationView },
  { hash: '#activity', name: 'console.view-activity', View: ActivityView },
  ...(offersOperators
    ? [
        {
          hash: '#operate',
          name: 'console.view-operate' as const,
          View: Operators,
          scopes: [operatorScope, auditorScope],
        },
      ]
    : []),
];

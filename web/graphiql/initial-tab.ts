import { operations } from './operations.ts';

interface StoredTabs {
  readonly tabs: readonly { readonly query: string | null; readonly variables: string | null }[];
  readonly activeTabIndex: number;
}

/**
 * What the editors hold at the start: the tab that was shown when the page was loaded last, or the first operation.
 * GraphiQL keeps that tab itself, but puts its query alone into the editors; what it is given and finds in no tab
 * becomes one more.
 */
export function initialTab() {
  const text = sessionStorage.getItem('graphiql:tabState');
  const stored = text === null ? undefined : (JSON.parse(text) as StoredTabs);
  const tab = stored?.tabs[stored.activeTabIndex] ?? operations[0];
  return { initialQuery: tab?.query ?? '', initialVariables: tab?.variables ?? '' };
}

import { GraphiQL } from 'graphiql';
import { fetcher } from './fetcher.ts';
import { initialTab } from './initial-tab.ts';
import { operations, schema } from './operations.ts';
import { useScheme } from './use-scheme.ts';

const initial = initialTab();

/** GraphiQL, with a tab for each operation. */
export const Explorer = () => (
  <GraphiQL
    fetcher={fetcher}
    schema={schema}
    defaultTabs={[...operations]}
    {...initial}
    defaultEditorToolsVisibility="variables"
    // What is written here may be a private key: it ends with the browser's tab.
    storage={sessionStorage}
    // The token is not typed, so that it gets into no history.
    isHeadersEditorEnabled={false}
    showPersistHeadersSettings={false}
    forcedTheme={useScheme()}
  >
    {/* The bar above says where this is. */}
    <GraphiQL.Logo> </GraphiQL.Logo>
  </GraphiQL>
);

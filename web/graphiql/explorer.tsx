import { GraphiQL } from 'graphiql';
import { fetcher } from './fetcher.ts';
import { operations, schema } from './operations.ts';
import { useScheme } from './use-scheme.ts';

/** GraphiQL, with a tab for each operation. */
export const Explorer = () => (
  <GraphiQL
    fetcher={fetcher}
    schema={schema}
    defaultTabs={[...operations]}
    // At the start it shows the query of its first tab without these.
    initialVariables={sessionStorage.getItem('graphiql:variables') ?? operations[0]?.variables ?? ''}
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

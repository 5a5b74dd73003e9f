/** @jsxImportSource react */
import { GraphiQL } from 'graphiql';
import { fetcher } from './fetcher.ts';
import { createMemoryStorage } from './memory-storage.ts';
import { operations, schema } from './operations.ts';
import { useScheme } from './use-scheme.ts';

const storage = createMemoryStorage();

/** GraphiQL, with a tab for each operation. */
export const Explorer = () => (
  <GraphiQL
    fetcher={fetcher}
    schema={schema}
    defaultTabs={[...operations]}
    // Of the first tab, GraphiQL itself shows the query alone.
    initialVariables={operations[0]?.variables ?? ''}
    defaultEditorToolsVisibility="variables"
    storage={storage}
    // The token is not typed, so that it gets into no history.
    isHeadersEditorEnabled={false}
    shouldPersistHeaders={false}
    showPersistHeadersSettings={false}
    forcedTheme={useScheme()}
  >
    {/* The bar above says where this is. */}
    <GraphiQL.Logo> </GraphiQL.Logo>
  </GraphiQL>
);

/** @jsxImportSource react */
import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import { GraphiQL } from 'graphiql';
import { AccountLine } from './account-line.tsx';
import { fetcher } from './fetcher.ts';
import { createMemoryStorage } from './memory-storage.ts';
import { operationList } from './operation-list.tsx';
import { firstOperations, schema } from './operations.ts';
import { useScheme } from './use-scheme.ts';

const storage = createMemoryStorage();

const plugins = [operationList, HISTORY_PLUGIN];

/** GraphiQL, with three operations in tabs, and a list of all operations beside them. */
export const Explorer = () => (
  <GraphiQL
    fetcher={fetcher}
    schema={schema}
    defaultTabs={firstOperations.map(({ query, variables }) => ({ query, variables }))}
    // For the first tab, GraphiQL itself shows only the query.
    initialVariables={firstOperations[0]?.variables ?? ''}
    plugins={plugins}
    defaultEditorToolsVisibility="variables"
    storage={storage}
    // Nobody types the token, so it cannot get into the history.
    isHeadersEditorEnabled={false}
    shouldPersistHeaders={false}
    showPersistHeadersSettings={false}
    forcedTheme={useScheme()}
  >
    {/* The bar above names the page. */}
    <GraphiQL.Logo>
      <AccountLine />
    </GraphiQL.Logo>
  </GraphiQL>
);

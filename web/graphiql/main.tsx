import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import './main.css';
import { GraphiQL } from 'graphiql';
import { createRoot } from 'react-dom/client';
import { TopBar } from '../shared/top-bar.tsx';
import { fetcher } from './fetcher.ts';
import { operations, schema } from './operations.ts';

const root = document.getElementById('root') as HTMLElement;
createRoot(root).render(
  <>
    <TopBar current="graphiql" />
    <main>
      <h1 className="visually-hidden">GraphiQL</h1>
      <GraphiQL
        fetcher={fetcher}
        schema={schema}
        defaultTabs={operations}
        // What is written here may be a private key: it ends with the browser's tab.
        storage={sessionStorage}
        // The token is not typed, so that it gets into no history.
        isHeadersEditorEnabled={false}
        showPersistHeadersSettings={false}
      />
    </main>
  </>,
);

import 'graphiql/setup-workers/vite';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import './main.css';
import { createRoot } from 'react-dom/client';
import { mend } from '../shared/mend.ts';
import { TopBar } from '../shared/top-bar.tsx';
import { resumeSession } from '../sign-in/resume-session.ts';
import { Explorer } from './explorer.tsx';
import { mendings } from './mendings.ts';

void resumeSession();
const root = document.getElementById('root') as HTMLElement;
mend(root, mendings);

createRoot(root).render(
  <>
    <TopBar current="graphiql" />
    <main>
      <h1 className="visually-hidden">GraphiQL</h1>
      <Explorer />
    </main>
  </>,
);

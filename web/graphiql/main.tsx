import 'graphiql/setup-workers/vite';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import './main.css';
import { render } from 'preact/compat';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { TopBar } from '../shared/top-bar.tsx';
import { resumeSession } from '../sign-in/resume-session.ts';
import { Explorer } from './explorer.tsx';
import { mend } from './mend.ts';
import { mendings } from './mendings.ts';

void resumeSession();
render(<TopBar current="graphiql" />, document.getElementById('bar') as HTMLElement);

// GraphiQL uses React; the parts that all pages share use Preact.
const explorer = document.getElementById('explorer') as HTMLElement;
mend(explorer, mendings);
createRoot(explorer).render(createElement(Explorer));

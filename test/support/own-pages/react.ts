import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { Settings } from './settings.ts';

createRoot(document.querySelector('#root') as Element).render(createElement(Settings));

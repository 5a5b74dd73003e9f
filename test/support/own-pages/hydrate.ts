import { createElement } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { Settings } from './settings.ts';

hydrateRoot(document.querySelector('#root') as Element, createElement(Settings));

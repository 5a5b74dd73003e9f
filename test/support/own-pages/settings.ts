import { createElement as h, useState } from 'react';
import { getToken, listen } from './page.ts';

/** Before its code is there, an element has no properties, and React hands it no listeners either. */
function attach(element: (HTMLElement & { getToken?: typeof getToken }) | null): void {
  if (!element) return;
  element.getToken = getToken;
  for (const name of ['key-created', 'key-deactivated', 'error'])
    element.addEventListener(name, (event) => listen(event as CustomEvent));
}

/** A provider's page, made with React. It is drawn again with each press of its button. */
export function Settings() {
  const [count, setCount] = useState(0);
  return h(
    'main',
    {},
    h('h1', {}, 'Settings'),
    h('button', { type: 'button', onClick: () => setCount(count + 1) }, `Drawn again: ${count}`),
    h('keyward-keys', { ref: attach } as object),
  );
}

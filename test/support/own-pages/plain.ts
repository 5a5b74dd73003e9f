import { getToken, listen } from './page.ts';

const element = document.querySelector('keyward-keys') as HTMLElement & { getToken: typeof getToken };
element.getToken = getToken;
for (const name of ['key-created', 'key-deactivated', 'error'])
  element.addEventListener(name, (event) => listen(event as CustomEvent));

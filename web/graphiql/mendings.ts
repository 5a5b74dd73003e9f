import type { Mendings } from './mend.ts';

/**
 * GraphiQL marks a tab as one control, but puts two buttons into it: show and close. Here the tabs become a list of
 * buttons, one of which is current. An operation in the history gets its own name.
 */
export const mendings: Mendings = {
  '.graphiql-history-item-label[aria-label]': (label) => label.removeAttribute('aria-label'),
  '.graphiql-tabs[role], .graphiql-tabs [role]': (element) => element.removeAttribute('role'),
  '.graphiql-tabs [aria-selected]': (tab) => {
    const current = tab.getAttribute('aria-selected') === 'true';
    tab.removeAttribute('aria-selected');
    tab.querySelector('.graphiql-tab-button')?.setAttribute('aria-current', `${current}`);
  },
};

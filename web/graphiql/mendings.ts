import type { Mendings } from '../shared/mend.ts';

/**
 * GraphiQL says that a tab is one control, and puts two into it, to show it and to close it. So they are told of as
 * what they are: a list of buttons, of which one is current. And an operation of the history is called by its name.
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

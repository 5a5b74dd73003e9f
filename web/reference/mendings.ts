import type { Mendings } from '../shared/mend.ts';

const setLevel = (level: number) => (heading: Element) => {
  heading.setAttribute('role', 'heading');
  heading.setAttribute('aria-level', `${level}`);
};

const textOf = (element: Element | null | undefined) => element?.textContent?.trim() ?? '';

/** Elements that Swagger UI leaves without a name, a heading level or keyboard access. */
export const mendings: Mendings = {
  '.information-container:not([role])': (about) => {
    about.setAttribute('role', 'region');
    about.setAttribute('aria-label', 'About this API');
  },
  'h3:not([role])': setLevel(2),
  'h4:not([role])': setLevel(2),
  'h5:not([role])': setLevel(3),
  'textarea:not([aria-label])': (body) => body.setAttribute('aria-label', 'Request body'),
  '.examples-select select:not([aria-label])': (select) => select.setAttribute('aria-label', 'Example'),
  '.parameters :is(input, select):not([aria-label])': (control) =>
    control.setAttribute('aria-label', textOf(control.closest('tr')?.querySelector('.parameter__name'))),
  '.responses-table[role]:not([aria-label])': (table) => {
    const summary = table.closest('.opblock')?.querySelector('.opblock-summary-control');
    const [method, path] = ['method', 'path'].map((part) =>
      textOf(summary?.querySelector(`.opblock-summary-${part}`)),
    );
    table.setAttribute('aria-label', `Responses of ${method} ${path}`);
  },
  '.curl:not([tabindex]), .microlight:not([tabindex])': (code) => code.setAttribute('tabindex', '0'),
};

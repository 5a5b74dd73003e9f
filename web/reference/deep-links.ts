/** An operation's element ends its id with the operation's own. */
const operationOf = (id: string) => document.querySelector<HTMLElement>(`.opblock[id$="-${CSS.escape(id)}"]`);

const isOpen = (operation: Element) => operation.classList.contains('is-open');

/** Opens the operation that the address names after `#`. */
function followAddress(): void {
  const operation = operationOf(location.hash.slice(1));
  if (!operation) return;
  if (!isOpen(operation)) operation.querySelector<HTMLElement>('.opblock-summary-control')?.click();
  operation.scrollIntoView();
}

/**
 * Opens the operation that the address names, and lets the address name the one that was opened last, so that it can
 * be passed on. Swagger UI's own links would
 * stand within buttons.
 * @param root what Swagger UI draws into
 */
export function linkOperations(root: HTMLElement): void {
  root.addEventListener('click', ({ target }) => {
    const operation = (target as Element).closest('.opblock-summary')?.closest('.opblock');
    if (!operation) return;
    // It is drawn after this: what is closed now is about to be open.
    const hash = isOpen(operation) ? '' : `#${operation.id.split('-').at(-1)}`;
    history.replaceState(null, '', location.pathname + hash);
  });
  addEventListener('hashchange', followAddress);
  const drawing = new MutationObserver(() => {
    if (!root.querySelector('.opblock')) return;
    drawing.disconnect();
    followAddress();
  });
  drawing.observe(root, { subtree: true, childList: true });
}

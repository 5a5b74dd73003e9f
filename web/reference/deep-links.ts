/** The element of an operation. Its id ends with the id of the operation. */
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
 * Opens the operation that the address names. When a person opens another one, the address names that, so that it can
 * be shared. Swagger UI's own links are not used, because they would be inside buttons.
 * @param root what Swagger UI draws into
 */
export function linkOperations(root: HTMLElement): void {
  root.addEventListener('click', ({ target }) => {
    const operation = (target as Element).closest('.opblock-summary')?.closest('.opblock');
    if (!operation) return;
    // Swagger UI draws after this: an operation that is closed now is about to open.
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

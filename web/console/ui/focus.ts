/**
 * Whether the focus may move: an element in a provider's page never takes it from the page around it.
 * @param root where it would go
 */
export function isFocusFree(root: Document | ShadowRoot): boolean {
  const active = document.activeElement;
  return root === document || active === null || active === document.body || active.shadowRoot === root;
}

/**
 * If nothing has the focus, focuses an element, or else the page's heading: a keyboard would start over at the top. By
 * then the page shows what was fetched again, and elements that are no longer needed are gone.
 * @param root where the element is
 * @param id the id of the element
 */
export function focusSomewhere(root: Document | ShadowRoot, id = ''): void {
  setTimeout(() => {
    const active = root.activeElement;
    if ((active && active !== document.body) || !isFocusFree(root)) return;
    const element = root.getElementById(id) ?? root.querySelector<HTMLElement>('.title');
    element?.focus();
  });
}

/**
 * If nothing has the focus, focuses an element, or else the page's heading: a keyboard would start over at the top. By
 * then the page shows what was fetched again, and elements that are no longer needed are gone.
 * @param root where the element is
 * @param id the id of the element
 */
export function focusSomewhere(root: Document | ShadowRoot, id = ''): void {
  setTimeout(() => {
    const active = root.activeElement;
    if (active && active !== document.body) return;
    const element = root.getElementById(id) ?? root.querySelector<HTMLElement>('.title');
    element?.focus();
  });
}

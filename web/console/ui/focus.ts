/**
 * Focuses an element, or else the page's heading, where nothing has the focus: a keyboard would start over at the top.
 * What was read anew is on the page by then, and what it has no room for is gone.
 * @param id the id of the element
 */
export function focusSomewhere(id = ''): void {
  setTimeout(() => {
    const active = document.activeElement;
    if (active && active !== document.body) return;
    const element = document.getElementById(id) ?? document.querySelector('h1');
    element?.focus();
  });
}

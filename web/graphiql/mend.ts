/** Repairs, by the selector of the elements that need them. */
export type Mendings = Readonly<Record<string, (element: Element) => void>>;

/**
 * Repairs what a library draws wrong for assistive technology, at once and after each redraw.
 * @param root what the library draws into
 * @param mendings the repairs; a selector must no longer match an element that is repaired
 */
export function mend(root: Element, mendings: Mendings): void {
  const run = () => {
    for (const [selector, repair] of Object.entries(mendings))
      root.querySelectorAll(selector).forEach(repair);
  };
  new MutationObserver(run).observe(root, {
    subtree: true,
    childList: true,
    attributeFilter: ['role', 'aria-selected'],
  });
  run();
}

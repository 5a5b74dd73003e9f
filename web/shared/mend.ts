/** What is done to the elements that a selector finds. */
export type Mendings = Readonly<Record<string, (element: Element) => void>>;

/**
 * Puts right what a library draws wrong for assistive technology, at once and whenever it draws anew.
 * @param root what the library draws into
 * @param mendings by the selector of what is wrong, which must not find it once it is mended
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

/** Marks the part that is read in the table of contents. */
export function markCurrent(root: HTMLElement): void {
  const contents = root.querySelector('.contents') as HTMLElement;
  let current: Element | null = null;
  const mark = (id: string) => {
    const link = contents.querySelector(`a[href="#${CSS.escape(id)}"]`);
    if (!link || link === current) return;
    current?.removeAttribute('aria-current');
    link.setAttribute('aria-current', 'true');
    current = link;
    // The table scrolls within itself, and only if it stands beside the page.
    const { top, bottom } = link.getBoundingClientRect();
    const list = contents.getBoundingClientRect();
    if (top < list.top || bottom > list.bottom) contents.scrollBy(0, top - list.top - list.height / 2);
  };
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) mark(target.id);
    },
    // A line below the bar: exactly one part crosses it.
    { rootMargin: '-15% 0px -84% 0px' },
  );
  for (const part of root.querySelectorAll('main :is(article, .topic)')) watch.observe(part);
}

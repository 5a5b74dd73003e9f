/** A part of the page that can be found, its links in the table of contents, and its words. */
interface Entry {
  readonly part: Element;
  readonly links: readonly Element[];
  readonly words: string;
}

/** What a reader may look for in an operation: its name, method, path, summary, description and scopes. */
const named = 'h2, h3, .call, .about > .prose, .access';

const wordsOf = (part: Element): string =>
  [
    part.id,
    ...[...part.querySelectorAll(`:scope > :is(${named}), :scope > * > :is(${named})`)].map(
      (each) => each.textContent,
    ),
  ]
    .join(' ')
    .toLowerCase();

const listEntries = (root: Element): readonly Entry[] =>
  [...root.querySelectorAll('main :is(article, .topic)')].map((part) => ({
    part,
    links: [...root.querySelectorAll(`.contents a[href="#${CSS.escape(part.id)}"]`)].map(
      (link) => link.closest('li') ?? link,
    ),
    words: wordsOf(part),
  }));

const hide = (element: Element, hidden: boolean): void => void element.toggleAttribute('hidden', hidden);

/** Hides what has only hidden parts: a group of operations, and its place in the table of contents. */
function hideEmpty(root: Element, isFiltered: boolean): void {
  for (const group of root.querySelectorAll('main .group'))
    hide(group, isFiltered && !group.querySelector(':scope > article:not([hidden])'));
  for (const list of root.querySelectorAll('.contents li:has(> ul)'))
    hide(list, isFiltered && !list.querySelector('li:not([hidden])'));
  for (const introduction of root.querySelectorAll('.introduction > :not(h1)'))
    hide(introduction, isFiltered);
}

const countWords = (count: number): string => {
  if (count === 0) return 'Nothing found. Press Escape to see everything.';
  return count === 1 ? '1 result' : `${count} results`;
};

/**
 * Filters the page and its table of contents by what a reader types. `/` goes to the field, Escape empties it.
 * @returns shows everything again if a part is filtered out
 */
export function search(root: HTMLElement): (part: Element) => void {
  const field = root.querySelector('#search') as HTMLInputElement;
  const found = root.querySelector('#found') as HTMLElement;
  const contents = root.querySelector('.contents details') as HTMLDetailsElement;
  let entries: readonly Entry[] | undefined;

  const filter = () => {
    entries ??= listEntries(root);
    const sought = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isFound = ({ words }: Entry) => sought.every((word) => words.includes(word));
    for (const entry of entries)
      for (const element of [entry.part, ...entry.links]) hide(element, !isFound(entry));
    hideEmpty(root, sought.length > 0);
    found.textContent = sought.length > 0 ? countWords(entries.filter(isFound).length) : '';
    contents.open = sought.length > 0;
  };
  const clear = () => {
    field.value = '';
    filter();
  };

  field.addEventListener('input', filter);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') clear();
  });
  addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element).closest('input, textarea, select, [contenteditable]');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
  if (field.value) filter();
  return (part) => {
    if (part.closest('[hidden]')) clear();
  };
}

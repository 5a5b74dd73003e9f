import { nameHere } from '../../shared/place.ts';
import type { Language } from '../samples/languages.ts';

const kept = nameHere('sample-language');

/** Uses what the browser keeps for this page. Some browsers refuse that. */
const withStorage = <Result>(act: (storage: Storage) => Result): Result | undefined => {
  try {
    return act(localStorage);
  } catch {
    return undefined;
  }
};

/** Lets a reader choose the language of all samples. The browser remembers it. */
export function chooseLanguage(root: HTMLElement): void {
  const selects = [...root.querySelectorAll<HTMLSelectElement>('.language')];
  const show = (language: Language) => {
    root.dataset['language'] = language;
    for (const select of selects) select.value = language;
  };
  root.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement && target.matches('.language'))) return;
    const { top } = target.getBoundingClientRect();
    const language = target.value as Language;
    show(language);
    withStorage((storage) => storage.setItem(kept, language));
    // The samples above have another height now. The one that the reader looks at stays in its place.
    scrollBy({ top: target.getBoundingClientRect().top - top, behavior: 'instant' });
  });
  const before = withStorage((storage) => storage.getItem(kept));
  if (selects[0] && [...selects[0].options].some(({ value }) => value === before)) show(before as Language);
}

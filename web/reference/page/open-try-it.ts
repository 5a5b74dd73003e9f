import { loadDescription } from '../description/load-description.ts';

/** The code of the form, which loads only when somebody wants to try an operation. */
const loadForm = () =>
  import('../try/show-try-it.tsx').catch(() => {
    throw new Error('Keyward cannot be reached. Check your connection and reload the page.');
  });

/** The place of the form, below the button. */
function placeOf(button: Element): HTMLElement {
  const bar = button.closest('.sample-bar') as HTMLElement;
  const next = bar.nextElementSibling;
  if (next?.matches('.try-it')) return next as HTMLElement;
  const place = Object.assign(document.createElement('div'), { className: 'try-it' });
  bar.after(place);
  return place;
}

const setOpen = (button: Element, place: HTMLElement, isOpen: boolean): void => {
  button.setAttribute('aria-expanded', `${isOpen}`);
  button.textContent = isOpen ? 'Close' : 'Try it';
  place.hidden = !isOpen;
};

async function open(button: Element, place: HTMLElement): Promise<void> {
  setOpen(button, place, true);
  if (place.childElementCount > 0) return;
  const note = Object.assign(document.createElement('p'), { role: 'status', textContent: 'Loading…' });
  place.append(note);
  try {
    const [{ showTryIt }, description] = await Promise.all([loadForm(), loadDescription()]);
    showTryIt(place, description, button.closest('article')?.id ?? '');
  } catch (error) {
    place.replaceChildren(
      Object.assign(document.createElement('p'), { role: 'alert', textContent: (error as Error).message }),
    );
    button.addEventListener('click', () => place.replaceChildren(), { once: true });
  }
}

/** Opens the form of an operation at *Try it*, and closes it again. What was entered stays. */
export function openTryIt(root: HTMLElement): void {
  root.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLElement && target.matches('.try'))) return;
    const place = placeOf(target);
    if (target.getAttribute('aria-expanded') === 'true') setOpen(target, place, false);
    else void open(target, place);
  });
}

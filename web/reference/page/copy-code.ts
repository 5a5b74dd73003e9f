/** How long a button says that it copied, in milliseconds. */
const noticeTime = 2_000;

const say = (button: HTMLElement, words: string): void => {
  button.textContent = words;
  setTimeout(() => {
    button.textContent = 'Copy';
  }, noticeTime);
};

/** Lets a reader copy a sample. Browsers offer this only over HTTPS or on localhost: elsewhere, there is no button. */
export function copyCode(root: HTMLElement): void {
  if (!navigator.clipboard) return;
  root.classList.add('can-copy');
  root.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLElement && target.matches('.copy'))) return;
    const samples = [...(target.closest('.sample')?.querySelectorAll('pre') ?? [])];
    const shown = samples.find((sample) => sample.checkVisibility());
    navigator.clipboard.writeText(shown?.textContent ?? '').then(
      () => say(target, 'Copied'),
      () => say(target, 'Not copied'),
    );
  });
}

import { replaceAddress } from '../../sign-in/address.ts';

/** The id that an address names after `#`. In older links, it follows the group: `#/API%20keys/createApiKey`. */
const idIn = (hash: string): string => {
  const last = hash.slice(1).split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
};

/** For how many frames a part is kept in its place. */
const frames = 20;

/**
 * Scrolls to a part. What comes into sight above it gets its true height only then, which moves the part, so this is
 * done again for some frames, unless the reader scrolls.
 */
function bring(part: Element): void {
  const scrolled = new AbortController();
  const { signal } = scrolled;
  for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
    addEventListener(event, () => scrolled.abort(), { signal, passive: true });
  const step = (left: number) => {
    if (signal.aborted) return;
    part.scrollIntoView({ behavior: 'instant' });
    if (left > 0) requestAnimationFrame(() => step(left - 1));
    else scrolled.abort();
  };
  step(frames);
}

/**
 * Shows the part that the address names, also by an older link.
 * @param reveal makes sure that the part is not filtered out
 */
export function followLinks(reveal: (target: Element) => void): void {
  const follow = () => {
    const id = idIn(location.hash);
    const target =
      document.getElementById(id) ?? document.getElementById(id.toLowerCase().replaceAll(' ', '-'));
    if (!target) return;
    reveal(target);
    if (location.hash !== `#${target.id}`) replaceAddress(`#${target.id}`);
    bring(target);
  };
  addEventListener('hashchange', follow);
  follow();
}

/** The id that an address names after `#`. In older links, it follows the group: `#/API%20keys/createApiKey`. */
const idIn = (hash: string): string => {
  const last = hash.slice(1).split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
};

/** Scrolls to a part. What comes into sight above it gets its true height only then, so it is done twice. */
function bring(part: Element): void {
  part.scrollIntoView({ behavior: 'instant' });
  requestAnimationFrame(() => requestAnimationFrame(() => part.scrollIntoView({ behavior: 'instant' })));
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
    if (location.hash !== `#${target.id}`) history.replaceState(null, '', `#${target.id}`);
    bring(target);
  };
  addEventListener('hashchange', follow);
  follow();
}

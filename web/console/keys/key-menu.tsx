import { useLayoutEffect, useRef } from 'preact/compat';
import { type ApiKey, canChange, nameOf, pageOf, stateOf } from './api-key.ts';

/** A key whose menu is open, and the button that opened it. */
export interface OpenMenu {
  readonly apiKey: ApiKey;
  readonly button: HTMLElement;
}

interface KeyMenuProps {
  readonly menu: OpenMenu;
  readonly now: Date;
  readonly onClose: () => void;
}

/** What can be done with a key: one menu for all rows, with links to the key's page. */
export function KeyMenu({ menu, now, onClose }: KeyMenuProps) {
  const { apiKey } = menu;
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const popover = ref.current;
    if (!popover) return;
    if (!popover.matches(':popover-open')) popover.showPopover();
    // Not every browser can place a popover beside its button.
    const { bottom, right, top } = menu.button.getBoundingClientRect();
    const fits = bottom + popover.offsetHeight <= innerHeight;
    popover.style.top = `${scrollY + (fits ? bottom : Math.max(top - popover.offsetHeight, 0))}px`;
    popover.style.left = `${scrollX + Math.max(right - popover.offsetWidth, 0)}px`;
    popover.querySelector('a')?.focus();
    // A menu that is opened again before the page heard that it was closed.
  }, [menu]);
  const state = stateOf(apiKey, now);
  const page = pageOf(apiKey);
  return (
    <nav
      ref={ref}
      popover="auto"
      className="menu"
      aria-label={nameOf(apiKey)}
      onToggle={({ newState }) => newState === 'closed' && onClose()}
    >
      <p className="hint">
        <bdi>{nameOf(apiKey)}</bdi>
      </p>
      <a href={page}>Use, limits and secrets</a>
      {canChange(state) && <a href={`${page}?edit=permissions`}>Change permissions…</a>}
      {canChange(state) && <a href={`${page}?edit=expiresAt`}>Change expiry…</a>}
      <a href={`${page}?edit=name`}>Rename…</a>
      {canChange(state) && <a href={`${page}?do=rotate`}>Rotate…</a>}
      {state === 'active' && <a href={`${page}?do=pause`}>Pause…</a>}
      {state !== 'deactivated' && (
        <a className="danger" href={`${page}?do=deactivate`}>
          Deactivate…
        </a>
      )}
    </nav>
  );
}

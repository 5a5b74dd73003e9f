import { useLayoutEffect, useRef } from 'preact/compat';
import { useLanguage, useMayChange } from '../ui/host.ts';
import { type ApiKey, type ApiKeyState, canChange, nameOf, pageOf, stateOf } from './api-key.ts';

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
  const language = useLanguage();
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
  const name = nameOf(language, apiKey);
  return (
    <nav
      ref={ref}
      popover="auto"
      className="menu"
      aria-label={name}
      onToggle={({ newState }) => newState === 'closed' && onClose()}
    >
      <p className="hint">
        <bdi>{name}</bdi>
      </p>
      <Links page={pageOf(apiKey)} state={stateOf(apiKey, now)} />
    </nav>
  );
}

interface LinksProps {
  readonly page: string;
  readonly state: ApiKeyState;
}

function Links({ page, state }: LinksProps) {
  const { text } = useLanguage();
  const toPage = <a href={page}>{text('keys.menu-page')}</a>;
  if (!useMayChange()) return toPage;
  return (
    <>
      {toPage}
      {canChange(state) && <a href={`${page}?edit=permissions`}>{text('keys.menu-permissions')}</a>}
      {canChange(state) && <a href={`${page}?edit=expiresAt`}>{text('keys.menu-expiry')}</a>}
      <a href={`${page}?edit=name`}>{text('keys.menu-rename')}</a>
      {canChange(state) && <a href={`${page}?do=rotate`}>{text('keys.menu-rotate')}</a>}
      {state === 'active' && <a href={`${page}?do=pause`}>{text('keys.menu-pause')}</a>}
      {state !== 'deactivated' && (
        <a className="danger" href={`${page}?do=deactivate`}>
          {text('keys.menu-deactivate')}
        </a>
      )}
    </>
  );
}

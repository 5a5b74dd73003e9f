import { useEffect } from 'preact/compat';

const question = 'Discard the changes that are not saved?';

/** Asks before the person leaves the page, or follows one of its links, with changes that are not saved. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = (event.target as Element).closest('a[href^="#"]');
      if (link && !confirm(question)) event.preventDefault();
    };
    addEventListener('beforeunload', onUnload);
    addEventListener('click', onClick, { capture: true });
    return () => {
      removeEventListener('beforeunload', onUnload);
      removeEventListener('click', onClick, { capture: true });
    };
  }, [isUnsaved]);
}

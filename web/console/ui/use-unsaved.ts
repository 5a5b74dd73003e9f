import { useLayoutEffect } from 'preact/compat';
import { useHost } from './host.ts';

const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();

/** Asks before the person leaves the page, or one of its views, with changes that are not saved. */
export function useUnsaved(isUnsaved: boolean): void {
  const { places, language } = useHost();
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    addEventListener('beforeunload', askFirst);
    const stopGuarding = places.guard(() => confirm(language.text('common.discard')));
    return () => {
      removeEventListener('beforeunload', askFirst);
      stopGuarding();
    };
  }, [isUnsaved, places.guard, language]);
}

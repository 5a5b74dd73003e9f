import { useLayoutEffect } from 'preact/compat';
import { useHost } from './host.ts';

const mayDiscard = () => confirm('Discard the changes that are not saved?');
const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();

/** Asks before the person leaves the page, or one of its views, with changes that are not saved. */
export function useUnsaved(isUnsaved: boolean): void {
  const { places } = useHost();
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    addEventListener('beforeunload', askFirst);
    const stopGuarding = places.guard(mayDiscard);
    return () => {
      removeEventListener('beforeunload', askFirst);
      stopGuarding();
    };
  }, [isUnsaved, places.guard]);
}

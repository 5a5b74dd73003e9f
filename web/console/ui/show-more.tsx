import { useLayoutEffect, useRef } from 'preact/compat';
import { Button } from './button.tsx';
import { useHost, useLanguage } from './host.ts';

interface ShowMoreProps {
  /** An infinite query. */
  readonly list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  /** How many items are shown. */
  readonly count: number;
  /** The id of an item's heading, which gets the focus if it is the first new one. */
  readonly idOf: (index: number) => string | undefined;
}

/** Fetches the next page of a list, and moves the focus to its first item. */
export function ShowMore({ list, count, idOf }: ShowMoreProps) {
  const { notify, root } = useHost();
  const { text } = useLanguage();
  const before = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    const from = before.current;
    if (from === undefined || count <= from) return;
    before.current = undefined;
    notify(text('key.more-shown', { count: count - from }));
    root.getElementById(idOf(from) ?? '')?.focus();
  });
  if (!list.hasNextPage) return null;
  const more = () => {
    before.current = count;
    void list.fetchNextPage();
  };
  return (
    <div className="more">
      <Button pending={list.isFetchingNextPage} onClick={more}>
        {text('key.show-more')}
      </Button>
    </div>
  );
}

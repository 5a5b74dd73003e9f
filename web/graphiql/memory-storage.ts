import type { GraphiQLProps } from 'graphiql';

/**
 * A storage for GraphiQL's tabs, history and editors that is gone with the page, because a person may type a private
 * key.
 */
export function createMemoryStorage(): NonNullable<GraphiQLProps['storage']> {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
    clear: () => items.clear(),
  };
}

import type { GraphiQLProps } from 'graphiql';

/**
 * A place for what GraphiQL keeps (tabs, history, the editors' texts) that ends with the page: what a person types may
 * be a private key.
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

import { LRUCache } from 'lru-cache';
import type { Adapter, AdapterPayload } from 'oidc-provider';

/** The library's own store in memory warns on the console; this one does the same and is forgotten with it. */
export function createStore(): (model: string) => Adapter {
  const store = new LRUCache<string, AdapterPayload>({ max: 10_000 });
  const now = () => Math.floor(Date.now() / 1_000);
  return (model) => ({
    upsert: async (id, payload, expiresIn = 0) =>
      void store.set(`${model}:${id}`, payload, { ttl: expiresIn * 1_000 }),
    find: async (id) => store.get(`${model}:${id}`),
    findByUid: async (uid) =>
      store.find((payload, key) => key.startsWith(`${model}:`) && payload.uid === uid),
    // Only the device flow asks, and it is off.
    findByUserCode: async () => undefined,
    consume: async (id) => void Object.assign(store.get(`${model}:${id}`) ?? {}, { consumed: now() }),
    destroy: async (id) => void store.delete(`${model}:${id}`),
    revokeByGrantId: async (grantId) =>
      [...store.entries()].forEach(([key, payload]) => {
        // A sign-in that is under way names the grant that it is to replace, and is no part of it.
        if (payload.grantId === grantId && payload.kind !== 'Interaction') store.delete(key);
      }),
  });
}

import { Counter, Gauge, type Registry } from '@prometheus-io/client';

/** An issuer, as far as it is watched: its keys, and how often they were read or could not be. */
export interface WatchedIssuer {
  readonly config: { readonly issuer: string };
  readonly keys: {
    readonly current: { readonly size: number } | undefined;
    readonly refreshes: { readonly success: number; readonly failure: number; readonly unusable: number };
  };
}

/** Shows how many verification keys of each issuer there are, and how often they were read. */
export function observeKeySets(registry: Registry, trusted: readonly WatchedIssuer[]): void {
  new Gauge({
    name: 'keyward_verification_keys',
    help: "An issuer's verification keys that can be used.",
    labelNames: ['issuer'],
    registers: [registry],
    // Of several workers, the one that has the fewest.
    aggregator: 'min',
    collect() {
      for (const { config, keys } of trusted) this.set({ issuer: config.issuer }, keys.current?.size ?? 0);
    },
  });
  new Counter({
    name: 'keyward_key_set_refreshes_total',
    help: "Times that an issuer's key set was read, or could not be.",
    labelNames: ['issuer', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { config, keys } of trusted) {
        for (const [outcome, times] of Object.entries(keys.refreshes))
          this.inc({ issuer: config.issuer, outcome }, times);
      }
    },
  });
}

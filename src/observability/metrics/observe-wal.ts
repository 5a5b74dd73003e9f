import { Gauge, type Registry } from '@prometheus-io/client';

/** Shows how large SQLite's write-ahead log is; of another database 0. */
export function observeWal(registry: Registry, walSize: (() => number) | undefined): void {
  new Gauge({
    name: 'keyward_database_wal_bytes',
    help: "The size of SQLite's write-ahead log.",
    registers: [registry],
    collect() {
      this.set(walSize?.() ?? 0);
    },
  });
}

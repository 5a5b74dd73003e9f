import { Counter, type Registry } from '@prometheus-io/client';

/** Where the log goes, as far as it is watched. */
export interface WatchedLog {
  readonly dropped: number;
}

/** Shows how many lines of the log were dropped. */
export function observeLog(registry: Registry, output: WatchedLog): void {
  new Counter({
    name: 'keyward_log_lines_dropped_total',
    help: 'Lines of the log that were dropped, as it could not be written.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(output.dropped);
    },
  });
}

import { Gauge, type Registry } from '@prometheus-io/client';
import type { ConnectionPool } from '../../database/backend.ts';

/** Shows how many connections to PostgreSQL are in use, idle and waited for. */
export function observePool(registry: Registry, pool: ConnectionPool): void {
  const registers = [registry];
  new Gauge({
    name: 'keyward_database_pool_connections',
    help: 'Connections to PostgreSQL that are open.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'active' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
    },
  });
  new Gauge({
    name: 'keyward_database_pool_max_connections',
    help: 'Connections to PostgreSQL that may be open.',
    registers,
    collect() {
      this.set(pool.options.max);
    },
  });
  new Gauge({
    name: 'keyward_database_pool_waiting',
    help: 'Queries and transactions that wait for a connection.',
    registers,
    collect() {
      this.set(pool.waitingCount);
    },
  });
}

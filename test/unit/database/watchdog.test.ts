import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { backendOf, databaseOptions } from '../../../src/database/options.ts';
import { watchDatabase } from '../../../src/database/watchdog.ts';
import { databaseConfig } from '../../support/database.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

/** A database whose transactions may stand idle for longer than it is watched here. */
function openPatient() {
  const config = databaseConfig('sqlite::memory:');
  return openDatabase({ ...config, timeouts: { ...config.timeouts, idleInTransaction: 600_000 } });
}

/** A database whose one connection is taken, and not given back until it is told to: `select 1` waits. */
async function openBlocked() {
  const database = await openPatient();
  const { promise: over, resolve: release } = Promise.withResolvers<void>();
  const { promise: taken, resolve: take } = Promise.withResolvers<void>();
  const blocking = database.em.fork().transactional(async () => {
    take();
    await over;
  });
  await taken;
  return {
    database,
    release: async () => {
      release();
      await blocking;
    },
  };
}

describe('a database that hangs', () => {
  it('is noticed 5 seconds after it was asked, and once', async () => {
    const { database, release } = await openBlocked();
    const onHang = vi.fn();
    using _watch = watchDatabase(database, onHang);
    await pass(5000 + 4999);
    expect(onHang).not.toHaveBeenCalled();
    await pass(1);
    expect(onHang).toHaveBeenCalledOnce();
    await pass(60_000);
    expect(onHang).toHaveBeenCalledOnce();
    await release();
    await database[Symbol.asyncDispose]();
  });

  it('is noticed though it answered before', async () => {
    await using database = await openPatient();
    const onHang = vi.fn();
    using _watch = watchDatabase(database, onHang);
    await pass(20_000);
    const { promise: over, resolve: release } = Promise.withResolvers<void>();
    const blocking = database.em.fork().transactional(() => over);
    await pass(10_000);
    expect(onHang).toHaveBeenCalledOnce();
    release();
    await blocking;
  });

  it('is nobody’s business once it is not watched any more', async () => {
    const { database, release } = await openBlocked();
    const onHang = vi.fn();
    const watch = watchDatabase(database, onHang);
    await pass(5000);
    watch[Symbol.dispose]();
    await pass(60_000);
    expect(onHang).not.toHaveBeenCalled();
    await release();
    await database[Symbol.asyncDispose]();
  });
});

describe('left alone', () => {
  it('a database that answers', async () => {
    await using database = await openPatient();
    const onHang = vi.fn();
    using _watch = watchDatabase(database, onHang);
    await pass(60_000);
    expect(onHang).not.toHaveBeenCalled();
  });

  it('a database that is slow, but answers within 5 seconds', async () => {
    const { database, release } = await openBlocked();
    const onHang = vi.fn();
    using _watch = watchDatabase(database, onHang);
    await pass(5000 + 4999);
    await release();
    await pass(60_000);
    expect(onHang).not.toHaveBeenCalled();
    await database[Symbol.asyncDispose]();
  });

  it('a database that is down: it fails at once', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    const backend = await backendOf(databaseConfig(`postgres://keyward@127.0.0.1:${port}/keyward`));
    const database = new MikroORM<AbstractSqlDriver>(databaseOptions(backend));
    const asked = vi.spyOn(database.em.getConnection(), 'execute');
    const onHang = vi.fn();
    using _watch = watchDatabase(database, onHang);
    await pass(5000);
    // The refusal comes over a real socket, and so not by the clock of the test.
    await expect(asked.mock.results[0]?.value).rejects.toThrow('ECONNREFUSED');
    await turn();
    await pass(4999);
    await pass(1);
    await Promise.allSettled(asked.mock.results.map(({ value }) => value));
    expect(asked.mock.results.length).toBeGreaterThan(1);
    expect(onHang).not.toHaveBeenCalled();
    await database.close();
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReadiness } from '../../../src/process/readiness.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const issuerOf = (issuer: string, fault?: string) => ({ config: { issuer }, keys: { fault } });
const unread = 'its key set could not be read';

const some = [issuerOf('https://a')];
const up = { check: async () => undefined };
const fails = { check: () => Promise.reject(new Error('down')) };

const ready = { isReady: true, faults: [] };
const noKeys = (issuer: string, fault = unread) => ({ part: 'verification keys', issuer, fault });
const silent = { part: 'database', fault: 'it does not answer' };
const notReady = (...faults: object[]) => ({ isReady: false, faults });

describe('whether the service is ready', () => {
  it('the database works and all issuers have keys → ready', async () => {
    expect(await createReadiness(up, some)()).toEqual(ready);
  });

  it('one issuer has keys → ready, and the others are named', async () => {
    const verdict = await createReadiness(up, [issuerOf('https://b', unread), ...some])();
    expect(verdict).toEqual({ isReady: true, faults: [noKeys('https://b')] });
  });

  it('no issuer has keys → not ready', async () => {
    const unusable = 'no key of its set can be used';
    const verdict = await createReadiness(up, [
      issuerOf('https://b', unread),
      issuerOf('https://c', unusable),
    ])();
    expect(verdict).toEqual(notReady(noKeys('https://b'), noKeys('https://c', unusable)));
  });

  it('the database fails → not ready', async () => {
    expect(await createReadiness(fails, some)()).toEqual(notReady(silent));
  });

  it('the database cannot be written → not ready', async () => {
    const fault = 'PostgreSQL takes no writes: it is a standby';
    const check = async () => ({ fault, leaves: 'known keys' }) as const;
    const verdict = await createReadiness({ check }, some)();
    expect(verdict).toEqual(notReady({ part: 'database', fault }));
  });

  describe('the database is away', () => {
    const fault = { fault: 'PostgreSQL takes no writes: it is a standby', leaves: 'known keys' } as const;
    const check = async () => fault;
    const degraded = { isReady: true, isDegraded: true, faults: [{ part: 'database', fault: fault.fault }] };

    it('and keys work on → ready, and degraded', async () => {
      expect(await createReadiness({ check }, some, { isOfUse: true })()).toEqual(degraded);
    });

    it.each<[string, Parameters<typeof createReadiness>[0], boolean]>([
      ['and no key works on', { check }, false],
      ['and its schema is newer', { check, fault: 'its schema is newer' }, true],
      ['or refuses this service', { check: () => Promise.reject(new Error('password')) }, true],
      ['or leaves nothing', { check: async () => ({ ...fault, leaves: 'nothing' }) }, true],
    ])('%s → not ready', async (_what, state, isOfUse) => {
      expect(await createReadiness(state, some, { isOfUse })()).toMatchObject({ isReady: false });
    });

    it('and no issuer has keys → not ready', async () => {
      const none = [issuerOf('https://a', unread)];
      expect(await createReadiness({ check }, none, { isOfUse: true })()).toMatchObject({ isReady: false });
    });
  });

  it('the database confirms no changes → ready, and degraded', async () => {
    const check = async () => ({ fault: 'a standby is gone', leaves: 'all but changes' }) as const;
    expect(await createReadiness({ check }, some)()).toMatchObject({ isReady: true, isDegraded: true });
  });

  it('several parts fail → not ready, and each is named', async () => {
    const verdict = await createReadiness(fails, [issuerOf('https://b', unread)])();
    expect(verdict).toEqual(notReady(silent, noKeys('https://b')));
  });

  it('no answer of the database for two seconds → not ready, and no second query meanwhile', async () => {
    let answer: (fault: undefined) => void = () => {};
    const check = vi.fn(
      () =>
        new Promise<undefined>((resolve) => {
          answer = resolve;
        }),
    );
    const ask = createReadiness({ check }, some);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const asked = ask();
      await vi.advanceTimersByTimeAsync(2000);
      expect(await asked).toEqual(notReady(silent));
    }
    expect(check).toHaveBeenCalledTimes(1);
    answer(undefined);
    await vi.advanceTimersByTimeAsync(1000);
    check.mockImplementation(async () => undefined);
    expect(await ask()).toEqual(ready);
  });

  it('asked often → the database is asked once a second', async () => {
    let isUp = true;
    const check = vi.fn(() => (isUp ? Promise.resolve(undefined) : Promise.reject(new Error('down'))));
    const ask = createReadiness({ check }, some);
    expect(await Promise.all(Array.from({ length: 100 }, ask))).toEqual(Array(100).fill(ready));
    expect(check).toHaveBeenCalledTimes(1);
    isUp = false;
    await vi.advanceTimersByTimeAsync(999);
    expect(await ask()).toEqual(ready);
    await vi.advanceTimersByTimeAsync(1);
    expect(await ask()).toEqual(notReady(silent));
    expect(check).toHaveBeenCalledTimes(2);
  });
});

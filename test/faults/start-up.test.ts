import { describe, expect, it } from 'vitest';
import { createTemporaryFolder, startProcess } from '../support/process.ts';

/** How long a start on an empty folder takes until it is ready, in milliseconds. */
async function measureStart(): Promise<number> {
  await using folder = await createTemporaryFolder();
  await using service = await startProcess(folder.path);
  return service.milliseconds;
}

describe('a start', () => {
  it('is ready within 3 seconds', async () => {
    // The first may still have to compile what the others find compiled.
    const times = [await measureStart(), await measureStart(), await measureStart()];
    process.stdout.write(`ready after ms ${times.map(Math.round).join(', ')}\n`);
    expect(Math.min(...times)).toBeLessThan(3000);
  });
});

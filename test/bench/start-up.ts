import { keyward, startServer } from './servers.ts';
import { medianOfKnown } from './table.ts';
import type { World } from './world.ts';

/** How long starts take: medians. */
export interface StartUp {
  /** From the start of the process to its first answer, in milliseconds. */
  readonly milliseconds: number | undefined;
  /** Processor time until then, in milliseconds. */
  readonly cpu: number | undefined;
}

/** Starts Keyward again and again with each world's database, in turn, each time to stop it when it answers. */
export async function measureStartUps(worlds: readonly World[], starts: number): Promise<StartUp[]> {
  const samples = worlds.map((): { milliseconds: number; cpu: number | undefined }[] => []);
  // The first start of all compiles what the others find done.
  for (let round = 0; round <= starts; round += 1) {
    for (const [index, world] of worlds.entries()) {
      await using server = await startServer(keyward, world);
      const { milliseconds, cpu } = server;
      if (round > 0) samples[index]?.push({ milliseconds, cpu: cpu && cpu / 1000 });
    }
  }
  return samples.map((all) => ({
    milliseconds: medianOfKnown(all.map(({ milliseconds }) => milliseconds)),
    cpu: medianOfKnown(all.map(({ cpu }) => cpu)),
  }));
}

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Larger than SQLite's log grows before it is written back: what is free is the test's to take.
const mount = (folder: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder]).status === 0;

const unmount = (folder: string) => void spawnSync('umount', ['-l', folder]);

/** Whether this user may mount a file system. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-mount-'));
  const mounted = mount(folder);
  if (mounted) unmount(folder);
  rmdirSync(folder);
  return mounted;
}

/** A file system of its own on a folder, of four megabytes. */
export function mountTinyDisk(folder: string) {
  if (!mount(folder)) throw new Error('No file system can be mounted here');
  const ballast = join(folder, 'ballast');
  return {
    /** Takes all the space that is left. */
    fill: (): void => {
      for (const size of [1 << 20, 1 << 12]) {
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
        } catch (error) {
          if ((error as { code?: string }).code !== 'ENOSPC') throw error;
        }
      }
    },
    /** Gives it back. */
    free: (): void => rmSync(ballast),
    [Symbol.dispose]: () => unmount(folder),
  };
}

/** Lets a process write no file further than so many bytes: a write beyond fails as one to a faulty disk. */
export function limitFileSize(pid: number, bytes: number | 'unlimited'): void {
  const { status, stderr, error } = spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
  if (status !== 0) throw new Error(`prlimit: ${error?.message ?? stderr}`);
}

import { statSync } from 'node:fs';

/** Which file lies at a path now. */
export interface Place {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

/** @throws where nothing lies there */
export function placeOf(path: string): Place {
  const { dev, ino } = statSync(path);
  return { path, device: dev, inode: ino };
}

/** Whether the same file lies at its path still. */
export function isInPlace({ path, device, inode }: Place): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.ino === inode && found.dev === device;
}

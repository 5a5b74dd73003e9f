import { createReadStream, statSync } from 'node:fs';

/**
 * Opens the file that a command reads, or standard input for `-`.
 * @returns the input, and its size in bytes, or undefined if that is unknown
 * @throws if the file does not exist
 */
export const openInput = (file: string) =>
  file === '-'
    ? { input: process.stdin, size: undefined }
    : { size: statSync(file).size, input: createReadStream(file) };

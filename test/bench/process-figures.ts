import { existsSync, readFileSync } from 'node:fs';

/** Whether processes can be looked at here (Linux). */
export const hasProcesses = existsSync('/proc/self/stat');

/** The kernel's unit of processor time, as programs see it: 1/100 s on all that Node runs on. */
const microsecondsPerTick = 10_000;

/** A process and those that it has started, and so on. */
function processTree(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => processTree(Number(child)))];
}

function ticks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in parentheses, may hold spaces. Fields 14 to 17: utime and stime of the process itself,
  // cutime and cstime of children that have ended.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
}

function residentKilobytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes);
}

const sum = (pid: number, figure: (pid: number) => number) =>
  hasProcesses ? processTree(pid).reduce((total, each) => total + figure(each), 0) : undefined;

/**
 * Processor time that a process and its children have used, all threads, user and system, in microseconds; undefined
 * without /proc.
 */
export function cpuMicroseconds(pid: number): number | undefined {
  const used = sum(pid, ticks);
  return used === undefined ? undefined : used * microsecondsPerTick;
}

/**
 * For how long the main thread of a process has waited for a core while it could have run, in milliseconds; undefined
 * without /proc.
 */
export function waitedMilliseconds(pid: number): number | undefined {
  if (!hasProcesses) return undefined;
  // Nanoseconds on a core, nanoseconds of waiting for one, and the number of times.
  const [, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(waited) / 1e6;
}

/** Memory of a process and its children that is resident, in megabytes; undefined without /proc. */
export function residentMegabytes(pid: number): number | undefined {
  const kilobytes = sum(pid, residentKilobytes);
  return kilobytes === undefined ? undefined : kilobytes / 1024;
}

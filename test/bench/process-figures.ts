import { existsSync, readFileSync } from 'node:fs';

/** Whether processes can be looked at here (Linux). */
export const hasProcesses = existsSync('/proc/self/stat');

/** The kernel's unit of processor time, as programs see it: 1/100 s on all that Node runs on. */
const microsecondsPerTick = 10_000;

/** Processor time that a process has used, all threads, user and system, in microseconds; undefined without /proc. */
export function cpuMicroseconds(pid: number): number | undefined {
  if (!hasProcesses) return undefined;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in parentheses, may hold spaces; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick;
}

/** Memory of a process that is resident, in megabytes; undefined without /proc. */
export function residentMegabytes(pid: number): number | undefined {
  if (!hasProcesses) return undefined;
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { loadGeneratorName, usualConnections } from './load-generator.ts';
import { hasProcesses } from './process-figures.ts';

/** What a reader must know of where and how figures were taken. */
export const describeMachine = (connections = usualConnections): string =>
  [
    `${new Date().toISOString().slice(0, 10)}`,
    `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB`,
    `${type()} ${release()}, Node ${process.versions.node}`,
    `load by ${loadGeneratorName(connections)}`,
    `load average of the machine before: ${loadavg()[0]?.toFixed(2)}`,
    ...(hasProcesses ? [] : ['no /proc here: processor time and memory are left out']),
  ].join('; ');

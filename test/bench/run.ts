import { measureDoors } from './doors.ts';
import { measureGrowth } from './growth.ts';
import { describeMachine } from './machine.ts';
import { readOptions } from './options.ts';
import { measurePages } from './pages.ts';
import { type Part, writePart } from './results-file.ts';
import { measureSpeed } from './speed.ts';
import { measureWorkers } from './workers.ts';

const options = readOptions();
// Leaving in order ends the servers as well.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const measurements = {
  speed: measureSpeed,
  growth: measureGrowth,
  workers: measureWorkers,
  doors: measureDoors,
  pages: measurePages,
};
const asked: Exclude<Part, 'soak'>[] = (['growth', 'workers', 'doors', 'pages'] as const).filter(
  (part) => options[part],
);
for (const part of asked.length > 0 ? asked : (['speed'] as const)) {
  const machine = describeMachine(options.connections);
  const result = await measurements[part](options);
  const content = `${options.quick ? 'A quick run, for a first look. ' : ''}${machine}.\n\n${result}`;
  console.log(`\n${content}`);
  if (options.write) writePart(part, content);
}

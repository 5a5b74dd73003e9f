import { start } from './start.ts';

await start(() => import('../rewrap/run-rewrap.ts'));

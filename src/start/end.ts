import { start } from './start.ts';

await start(() => import('../moving/run-end.ts'));

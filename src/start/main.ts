import { start } from './start.ts';

await start(() => import('../main.ts'));

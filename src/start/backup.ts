import { start } from './start.ts';

await start(() => import('../database/run-backup.ts'));

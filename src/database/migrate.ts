import { loadConfig } from '../config.ts';
import { migrate, openDatabase } from './database.ts';

await using database = await openDatabase(loadConfig().databaseFile);
await migrate(database);

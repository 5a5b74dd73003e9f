import { writeFileSync } from 'node:fs';
import { configurationPages } from './configuration-pages.ts';

for (const [path, text] of configurationPages()) writeFileSync(path, text);

import { writeFileSync } from 'node:fs';
import { readCommandLine } from '../config/command-line.ts';
import { configurationPages } from './configuration-pages.ts';

const usage = `Usage: npm run config:docs -- [--help]

Updates the tables of variables in docs/configuration.md.

  --help  prints this text
`;

if (readCommandLine({ usage })) for (const [path, text] of configurationPages()) writeFileSync(path, text);

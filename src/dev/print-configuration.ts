import { writeFileSync } from 'node:fs';
import { readCommandLine } from '../config/command-line.ts';
import { configurationPages } from './configuration-pages.ts';

const usage = `Usage: npm run config:docs -- [--help]

Writes the tables of variables in docs/configuration.md anew.

  --help  prints this text
`;

if (readCommandLine({ usage })) for (const [path, text] of configurationPages()) writeFileSync(path, text);

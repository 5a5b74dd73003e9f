import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { readCommandLine } from '../config/command-line.ts';
import { schema } from '../gateway/schema.ts';
import { routes } from '../rest/routes.ts';
import { contracts } from './contracts.ts';
import { schemaFaults } from './schema-faults.ts';

const usage = `Usage: npm run schema -- [--check | --help]

Updates the files made from the schema: schema/schema.graphql, schema/openapi.json, schema/openapi-3.0.json, and the
tables of operations in docs/operations.md and docs/operators.md.

  --check  writes nothing, and reports outdated files and what is missing from an operation
  --help   prints this text
`;

/** Lists the outdated files and the faults of operations, one sentence each. */
const faults = (): string[] => [
  ...schemaFaults(schema, routes, globSync('{src,test}/**/*.ts')),
  ...contracts()
    .filter(([path, text]) => readFileSync(path, 'utf8') !== text)
    .map(([path]) => `${path} is out of date: run npm run schema`),
];

const given = readCommandLine({ usage, options: { check: { type: 'boolean' } } });
if (given?.values.check) {
  const found = faults();
  process.stderr.write(found.map((fault) => `${fault}\n`).join(''));
  if (found.length > 0) process.exitCode = 1;
} else if (given) for (const [path, text] of contracts()) writeFileSync(path, text);

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Keyward's published schema; the peers answer the same one. */
export const typeDefs = readFileSync(join(import.meta.dirname, '../../../schema/schema.graphql'), 'utf8');

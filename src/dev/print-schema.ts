import { writeFileSync } from 'node:fs';
import { openApiText, sdlText } from './contracts.ts';

writeFileSync('schema/schema.graphql', sdlText());
writeFileSync('schema/openapi.json', openApiText());

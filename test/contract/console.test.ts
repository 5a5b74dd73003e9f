import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import * as activity from '../../web/console/activity/documents.ts';
import * as automation from '../../web/console/automation/documents.ts';
import * as key from '../../web/console/key/documents.ts';
import * as keys from '../../web/console/keys/documents.ts';
import * as operate from '../../web/console/operate/documents.ts';
import * as webhooks from '../../web/console/operate/webhooks/documents.ts';
import * as privateKey from '../../web/console/private-key/documents.ts';
import { root } from '../support/process.ts';

const sdl = readFileSync(join(root, 'schema/schema.graphql'), 'utf8');

describe('the console', () => {
  // The types hold the fields of a document to the schema; of its arguments they know nothing.
  const documents = Object.entries({
    ...activity,
    ...automation,
    ...key,
    ...keys,
    ...operate,
    ...webhooks,
    ...privateKey,
  });
  it.each(documents)('asks only for fields of the schema: %s', (_name, document) => {
    expect(validate(buildSchema(sdl), document)).toEqual([]);
  });
});

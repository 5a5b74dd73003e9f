// Writes the package's types from schema/openapi.json: those of POST /api/v1/keys/verify, and of webhooks.
//   node run.mjs packages/node/generate-types.mjs           writes src/generated/openapi.ts
//   node run.mjs packages/node/generate-types.mjs --check   fails if that file is out of date
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
// biome-ignore lint/correctness/noUndeclaredDependencies: the repository declares it
import openapiTS, { astToString } from 'openapi-typescript';

const root = join(import.meta.dirname, '../..');
const target = join(import.meta.dirname, 'src/generated/openapi.ts');
const { openapi, info, paths, components } = JSON.parse(
  readFileSync(join(root, 'schema/openapi.json'), 'utf8'),
);

const bodyOf = ({ post }) => post.requestBody.content['application/json'].schema;

/** The names of the schemas that a schema refers to, directly or not. */
function namesIn(schema, found = new Set()) {
  for (const [, name] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g))
    if (!found.has(name)) namesIn(components.schemas[name], found.add(name));
  return found;
}

/** One schema for all events: what only those about keys have is optional. The docs describe its members. */
function mergeEvents() {
  const { ApiKeyWebhook: ofKeys, AccountWebhook: ofAccounts } = components.schemas;
  const data = { ...ofKeys.properties.data, required: ofAccounts.properties.data.required };
  const members = { ...ofKeys.properties, data };
  const plain = JSON.stringify(members, (name, value) => (name === 'description' ? undefined : value));
  return { ...ofKeys, description: 'What a webhook tells.', properties: JSON.parse(plain) };
}

/** Keeps the first sentence of each description, without brackets, and leaves out what it says better: the package is small. */
const plainly = (schemas) =>
  JSON.parse(
    JSON.stringify(schemas, (name, value) => {
      if (name === 'description' && typeof value === 'string')
        return value.split(/(?<=[.]) (?=[A-Z])/)[0].replaceAll(/ [(].*?[)]+/g, '');
      return ['examples', 'format'].includes(name) ? undefined : value;
    }),
  );

const VerifyApiKeyRequest = bodyOf(paths['/api/v1/keys/verify']);
const verification = { $ref: '#/components/schemas/ApiKeyVerification' };
const names = namesIn([VerifyApiKeyRequest, verification]);
const schemas = plainly({
  VerifyApiKeyRequest,
  ...Object.fromEntries([...names].map((name) => [name, components.schemas[name]])),
  WebhookEvent: mergeEvents(),
});

/** Formats code as the project does. */
const format = (input) =>
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'format', `--stdin-file-path=${target}`],
    { input, cwd: root, encoding: 'utf8' },
  );

const [{ members }] = (await openapiTS({ openapi, info, paths: {}, components: { schemas } })).filter(
  ({ name }) => name.text === 'components',
);
/** Each schema as an interface of its own, with plain comments. */
const interfaces = members
  .find(({ name }) => name.text === 'schemas')
  .type.members.map((member) =>
    astToString(member)
      .replace(/^((?:\/\*\*.*\*\/\s*)?)(\w+): \{/, '$1export interface $2 {')
      .replace('export interface VerifyApiKeyRequest', '/** @internal */\n$&')
      .replaceAll(/components\["schemas"\]\["(\w+)"\]/g, '$1')
      .replaceAll('@description ', ''),
  );
const text = format(
  `// Generated from schema/openapi.json by generate-types.mjs.\n\n${interfaces.join('\n')}`,
);

if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  process.stderr.write(
    `${relative(root, target)} is out of date: node run.mjs packages/node/generate-types.mjs\n`,
  );
  process.exitCode = 1;
}

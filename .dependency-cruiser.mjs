// Who may import whom. Type imports count as well, so the rules hold for the design and not only for what runs.

const SLICES = 'accounts|api-keys|audit|private-key|automation-settings|idempotency|plans|quotas|webhooks';
const TABLES = '^src/database/tables[.]ts$';
const FIELDS = '[.]graphql[.]ts$';

// The rooms of the house, from the top to the bottom: a folder imports folders below it alone. So no two import each
// other, nor do any in a circle. A new folder gets its place here.
const HOUSE = [
  ...['commands', 'transfer', 'rewrap', 'process', 'dev', 'gateway', 'door'],
  ...['api-keys', 'automation-settings', 'private-key', 'audit', 'idempotency'],
  ...['plans', 'quotas', 'webhooks', 'accounts', 'assertions'],
  ...['rest', 'graphql', 'pages', 'operations'],
  ...['auth', 'observability', 'http', 'database', 'config', 'secrets'],
];

/** Rules are errors, all of them. */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const general = [
  forbid('no-circular', 'Two files that need each other are one thing.', {}, { circular: true }),
  forbid(
    'no-orphans',
    'A file that nothing imports and that imports nothing is left over.',
    {
      orphan: true,
      path: '^src/',
      pathNot: [
        '^src/commands/refuse-old-node[.]ts$',
        '^src/dev/(token|print-schema)[.]ts$',
        '^src/database/',
      ],
    },
    {},
  ),
  forbid('no-unresolvable', 'An import that leads nowhere.', {}, { couldNotResolve: true }),
  forbid(
    'only-declared-packages',
    'A package that package.json does not name is there by accident. Scripts of a package use those of the project.',
    { pathNot: '^packages/node/[^/]+[.]mjs$' },
    { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  ),
  forbid(
    'packages-need-nothing',
    'Who installs a package for servers installs nothing else.',
    { path: '^packages/node/src/' },
    { pathNot: '^packages/node/src/', dependencyTypesNot: ['type-only'] },
  ),
  forbid(
    'no-dev-dependency-in-production',
    'Production runs without devDependencies; only src/dev may use them.',
    { path: '^src/', pathNot: '^src/dev/' },
    { dependencyTypes: ['npm-dev'] },
  ),
  forbid(
    'no-test-in-source',
    'Tests know the source, never the other way.',
    { path: '^src/' },
    { path: '^test/' },
  ),
  forbid(
    'examples-stand-alone',
    'An example is what a stranger copies: it knows the published contracts and nothing else of ours.',
    { path: '^examples/' },
    { path: '^(src|test)/' },
  ),
];

const slices = [
  forbid(
    'tables-know-the-orm-alone',
    'What is stored is told by MikroORM and nothing else.',
    { path: TABLES },
    { pathNot: '^node_modules/@mikro-orm/' },
  ),
  forbid(
    'operation-knows-domain',
    'An operation knows tables, queries, its own slice, accounts, settings, errors and events: no GraphQL, no HTTP.',
    { path: `^src/(${SLICES})/.+[.]ts$`, pathNot: [FIELDS, '^src/webhooks/(sending/|openapi[.]ts$)'] },
    {
      dependencyTypesNot: ['core'],
      pathNot: [
        '^src/(accounts|api-keys|audit|automation-settings|plans|quotas|$1)/(?!.*[.]graphql[.]ts$)',
        '^src/webhooks/sending/stored-(endpoints|deliveries)[.]ts$',
        '^src/config/(config-error[.]ts$|values/)',
        '^src/(errors|once|repeated|operations/[a-z-]+|observability/events|database/(clean-up|conditions|db|failures|page|search|shared-read|stored-values|tables)|secrets/[a-z-]+)[.]ts$',
        '^node_modules/(zod|jose|kysely|lru-cache|yaml|@mikro-orm/[^/]+)/',
      ],
    },
  ),
  forbid(
    'operations-know-domain',
    'operations/ is what every operation stands on: tables, queries, errors and events.',
    { path: '^src/operations/' },
    {
      path: '^src/',
      pathNot: [
        TABLES,
        '^src/(errors|once)[.]ts$',
        '^src/(operations|observability|secrets)/',
        '^src/database/(changes-of-day|conditions|db)[.]ts$',
        '^src/(config/(config|values/organizations)|http/rate-limits/limiter)[.]ts$',
      ],
    },
  ),
  forbid(
    'operations-run-no-package',
    'operations/ takes types from packages and nothing that runs.',
    { path: '^src/operations/' },
    { path: '^node_modules/', dependencyTypesNot: ['type-only'] },
  ),
  forbid(
    'fields-know-own-slice',
    'Fields import the builder, the scalars, the names of scopes, tables, and operations of their own slice and of accounts, API keys and plans.',
    { path: `^src/(${SLICES})/.*${FIELDS}` },
    {
      path: '^(src|test)/',
      pathNot: [
        '^src/graphql/(builder|scalars)[.]ts$',
        '^src/auth/scopes[.]ts$',
        '^src/config/values/',
        TABLES,
        '^src/($1|accounts|api-keys|plans)/',
      ],
    },
  ),
  forbid(
    'only-schema-loads-fields',
    'gateway/schema.ts is the one place where fields are loaded; those of a slice may share types and arguments.',
    { path: '^src/', pathNot: ['^src/gateway/schema[.]ts$', FIELDS] },
    { path: FIELDS },
  ),
];

const rooms = [
  forbid(
    'errors-know-nothing',
    'errors.ts imports nothing of ours.',
    { path: '^src/errors[.]ts$' },
    { path: '^src/' },
  ),
  forbid(
    'rest-knows-no-slice',
    'REST knows fields by name and neither a slice nor a table.',
    { path: '^src/rest/' },
    { path: [`^src/(${SLICES})/`, TABLES] },
  ),
  forbid(
    'forward-auth-knows-no-slice',
    'Forward auth is given how to verify; it knows neither slices, GraphQL nor REST.',
    { path: '^src/door/(api-key|limits-left|authorize/(authorize|problem))[.]ts$' },
    {
      path: '^src/',
      pathNot:
        '^src/((errors|operations/context|door/(api-key|limits-left|authorize/(authorize|problem)))[.]ts$|http/)',
    },
  ),
  forbid(
    'only-gateway-knows-door',
    'The gateway opens the door, and nothing else but the service, which gives it what it needs, knows it.',
    { path: '^src/', pathNot: '^src/(gateway/|process/service[.]ts$|dev/contracts[.]ts$|door/)' },
    { path: '^src/door/' },
  ),
  forbid(
    'auth-knows-no-slice',
    'Authentication knows neither slices nor REST nor the schema.',
    { path: '^src/auth/' },
    { path: [`^src/(${SLICES})/`, '^src/rest/', '^src/gateway/'] },
  ),
  forbid(
    'secrets-know-errors-alone',
    "The server's secrets are handed to whom they serve; they know neither slices nor the configuration.",
    { path: '^src/secrets/' },
    { path: '^src/', pathNot: '^src/(secrets/|errors[.]ts$)' },
  ),
  forbid(
    'browser-and-server-are-apart',
    'What runs in a browser imports nothing that runs in the server.',
    { path: '^web/' },
    { path: '^(src|test)/' },
  ),
  forbid(
    'server-and-browser-are-apart',
    'What runs in the server imports nothing that runs in a browser.',
    { path: '^src/' },
    { path: '^web/' },
  ),
  forbid(
    'pages-know-no-slice',
    'The pages for a browser know HTTP, their configuration and the identity provider: neither slices, GraphQL nor REST.',
    { path: '^src/pages/' },
    { path: '^src/', pathNot: '^src/(pages/|auth/|config/|http/|observability/)' },
  ),
  forbid(
    'only-service-knows-dev',
    'What is for development is loaded by process/service.ts and by nothing else.',
    { path: '^src/', pathNot: '^src/(process/service[.]ts$|dev/)' },
    { path: '^src/dev/' },
  ),
  forbid(
    'gateway-is-given-its-configuration',
    'createGateway(deps) is handed what it needs; of config/ it may know the types.',
    { path: '^src/gateway/' },
    { path: '^src/config/', dependencyTypesNot: ['type-only'] },
  ),
];

const house = [
  ...HOUSE.slice(1).map((room, index) =>
    forbid(
      `no-import-runs-up-from-${room}`,
      'A folder imports folders below it alone, types included: see HOUSE.',
      { path: `^src/${room}/` },
      { path: `^src/(${HOUSE.slice(0, index + 1).join('|')})/` },
    ),
  ),
  forbid(
    'every-room-has-its-place',
    'A folder that HOUSE does not name might import any other.',
    { path: '^src/[^/]+/', pathNot: `^src/(${HOUSE.join('|')})/` },
    {},
  ),
];

export default {
  forbidden: [...general, ...slices, ...rooms, ...house],
  options: {
    parser: 'tsc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: '^node_modules/' },
    // Other programs, with packages of their own.
    exclude: { path: '^test/(bench/peers|support/better-auth|packages/apps/next)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};

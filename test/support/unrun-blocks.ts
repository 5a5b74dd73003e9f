/**
 * Blocks of code in the documents that the documents' tests do not run, by their first line, and why. Whatever is not
 * here must be checked by one of the ways in `documents.ts`.
 */
export const unrunBlocks: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    'npm ci && npm start': 'test/image/systemd.test.ts does both in a fresh clone',
  },
  'docs/configuration.md': {
    'Keyward cannot start with this configuration:':
      'test/e2e/configuration.test.ts holds such lines to the real process',
  },
  'docs/edge.md': {
    'location ^~ /keyward/ {': 'test/e2e/under-a-path.test.ts runs it',
    "# The path counts once, and your API's proxy asks about keys at Keyward itself.":
      'test/e2e/under-a-path.test.ts runs it',
  },
  'docs/forward-auth.md': {
    'http://127.0.0.1:4000/api/v1/keys/authorize': 'an address; test/e2e/nginx.test.ts asks it',
    '{"title":"Forbidden","status":403,"detail":"The API key needs the permissions: documents.write","reason":"insufficient_permissions"}':
      'test/integration/forward-auth.test.ts compares it to the response',
    '# A WebSocket may upgrade, and nothing else.': 'test/e2e/nginx.test.ts runs it',
    '(keyward) {': 'test/e2e/caddy.test.ts runs it',
    '-- Asks Keyward whether a request may pass.': 'test/e2e/haproxy.test.ts runs it',
    global: 'test/e2e/haproxy.test.ts runs it',
    'entryPoints:': 'no Traefik is installed for the tests; the text says that it is not run',
    'http:': 'no Traefik is installed for the tests; the text says that it is not run',
    'name: envoy.filters.network.http_connection_manager':
      'no Envoy is installed for the tests; the text says that it is not run',
  },
  'docs/assertions.md': {
    '{ "iss": "https://keys.example.com",': 'test/integration/assertions.test.ts compares the claims',
    defaults: 'test/e2e/assertions.test.ts runs it',
    'name: envoy.filters.http.jwt_authn':
      'no Envoy is installed for the tests; the text says that it is not run',
  },
  'docs/verify-keys.md': {
    'OIDCOAuthIntrospectionEndpoint https://keyward.example.com/api/v1/oauth/introspect':
      'test/e2e/introspection.test.ts runs it',
  },
  'docs/graphql-clients.md': {
    'npm install gql.tada graphql':
      'it changes a project; package.json has both, and check:types runs the second line',
  },
  'docs/pages.md': {
    '{': 'test/unit/pages/messages.test.ts gives it to Keyward',
  },
  'docs/own-pages.md': {
    '<script type="module" src="https://keys.example.com/elements/keyward.js"></script>':
      'test/browser/own-pages.test.ts opens it as a page',
    "'use client';":
      'it needs an instance of Clerk; test/browser/own-pages.test.ts does the same with React alone',
    "document.querySelector('keyward-keys').getToken = async () => {": 'it needs a project at Supabase',
    'keyward-keys {': 'test/browser/own-pages.test.ts gives it to a page',
    'keyward-keys::part(button primary) {': 'test/browser/own-pages.test.ts gives it to a page',
    '<script type="importmap">{"integrity": {"https://keys.example.com/elements/keyward-….js": "sha384-…", …}}</script>':
      'test/browser/own-pages.test.ts opens a page with such lines',
  },
  'docs/operators.md': {
    'sed -nE \'s/.*"event":"api-key-(deactivated|rotated|leaked)".*"keyId":([0-9]+).*/\\2/p\' since-backup.log > keys':
      'test/e2e/command-end.test.ts runs it on the log of a real service',
    'mkdir -p -m 700 secrets': 'test/e2e/operators.test.ts runs it in a folder of its own',
    'cd /opt/keyward':
      'it installs a service; test/image/systemd.test.ts does so in a folder, test/e2e/systemd.test.ts checks the unit, test/e2e/operators.test.ts its environment',
    'docker build --tag keyward:0.1.0 .':
      'no container engine is there; test/image does what the Dockerfile says',
    'openssl rand -hex 24 > secrets/postgres-password':
      'test/e2e/operators.test.ts runs all but the last line, which needs a container engine',
    'server {': 'test/e2e/tls.test.ts runs it',
    'set -e': 'test/e2e/audit-trail.test.ts runs it',
    'export DATABASE_URL=postgres://keyward:secret@db.example.com/keyward?sslmode=verify-full':
      'test/e2e/command-migrate.test.ts and test/e2e/workers.test.ts do this with a real PostgreSQL',
    'GRANT USAGE ON SCHEMA public TO keyward_service;':
      'test/faults/postgres-start.test.ts runs it, and then the service as that user',
    'pg_dump --format=custom --file=keyward.dump "$DATABASE_URL"':
      "PostgreSQL's own commands, which its package for the tests does not have",
  },
  'docs/moving.md': {
    'psql --quiet --no-align --tuples-only --file examples/public-service-keys.sql "$DATABASE_THERE" > keys.jsonl':
      "PostgreSQL's own command; test/integration/postgresql/public-service-keys.test.ts does the same",
  },
  'docs/webhooks.md': {
    'POST /keyward HTTP/1.1': 'it is sent, not run; test/integration/webhooks.test.ts reads what is',
  },
  'docs/rest-clients.md': {
    'npm install openapi-fetch':
      'it changes a project; package.json has all three, and check:types runs the last line',
  },
};

/** Documents that have a test of their own, which runs their blocks. */
export const testedElsewhere: Readonly<Record<string, string>> = {
  'docs/first-afternoon.md': 'test/e2e/first-afternoon.test.ts',
  'docs/organizations.md': 'test/e2e/organizations.test.ts',
};

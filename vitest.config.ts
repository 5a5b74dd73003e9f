import { defineConfig } from 'vitest/config';

/**
 * The integration tests that `npm test` runs on PostgreSQL too: those about SQL, locks, races, and differences between
 * the databases. The others would only repeat there what they find on SQLite: `npm run test:postgres` runs them on a
 * server with unusual settings.
 */
export const onPostgres = `
  postgresql/* accounts acting api-key-usage api-keys audit-events audit-trail audited changes-of-day
  create-api-key deactivate-api-key differential deactivate-keys door-grace ensure-account entitled-keys
  idempotency import-keys key-days key-limits key-usage migrate outdated-node own-api-key pause-api-key
  quota-leases quota-periods register-private-key remove-ended-keys report-leaked-keys request-account rewrap
  rotate-api-key set-default-api-key shared-limits update-api-key update-automation-settings
  verify-secret webhook-clock webhook-clocks webhook-deliveries webhook-endpoints webhook-line
`
  .trim()
  .split(/\s+/)
  .map((name) => `test/integration/${name}.test.ts`);

export default defineConfig({
  // Node takes graphql's CommonJS build, Vite its other one: schemas of two realms do not mix.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    // Files share what they import: half of the time would go into importing it again for each.
    isolate: false,
    // Many wait for a process or a database of theirs; Vitest's own choice on two cores would be one.
    maxWorkers: 3,
    reporters: ['default', 'json'],
    outputFile: { json: 'artefacts/test-report.json' },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // Hooks start and stop processes and databases: on a busy machine, that takes more than Vitest's 10 s.
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: ['test/{unit,integration,tokens,contract}/**/*.test.ts'],
          exclude: ['test/integration/postgresql/**'],
          // The gateway reads the documents of the pages from what was built.
          globalSetup: 'test/support/build-service.ts',
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          // They wait for processes that start and stop, and for times to pass.
          maxWorkers: 4,
          globalSetup: 'test/support/build-service.ts',
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: onPostgres,
          globalSetup: 'test/support/postgres-server.ts',
          setupFiles: 'test/support/need-postgres.ts',
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          // All integration tests, on a server whose settings change how values look and how transactions run.
          name: 'postgres-settings',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: 'test/support/postgres-server.ts',
          setupFiles: 'test/support/need-postgres.ts',
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          // What holds whatever is drawn, and whatever many do at once: half a minute that `npm test` is spared.
          name: 'properties',
          include: ['test/properties/{unit,integration}/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'properties-postgres',
          include: ['test/properties/{integration,postgresql}/**/*.test.ts'],
          globalSetup: 'test/support/postgres-server.ts',
          setupFiles: 'test/support/need-postgres.ts',
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          globalSetup: ['test/support/build-service.ts', 'test/support/postgres-server.ts'],
          setupFiles: 'test/support/need-postgres.ts',
          // One fault at a time, each with the machine to itself.
          fileParallelism: false,
          testTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          // Does what the Dockerfile says: installs anew, which takes a minute or two.
          name: 'image',
          include: ['test/image/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          // Installs anew in each: see test/installations.
          name: 'installations',
          include: ['test/installations/**/*.test.ts'],
          globalSetup: 'test/support/build-service.ts',
          // One waits for the disk while the other compiles.
          maxConcurrency: 2,
          testTimeout: 1_800_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: 'test/support/build-service.ts',
          // One Chromium at a time: it is the slow one here, not the tests.
          fileParallelism: false,
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          // The same below a path of somebody's host, behind a proxy that takes the path away, or hands it on.
          name: 'behind',
          include: ['test/browser/**/*.test.ts'],
          env: { TEST_BEHIND: process.env['TEST_BEHIND'] ?? 'taken away' },
          globalSetup: 'test/support/build-service.ts',
          fileParallelism: false,
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          // People's main tasks with keys, in another browser: all tests of these files, in about six minutes. Files
          // about Chromium's own tools (weight, forced colours, printing, another host name) cannot run there.
          name: 'firefox',
          include: [
            'test/browser/own-pages.test.ts',
            ...['', '-keys', '-pause', '-permissions', '-session', '-tasks'].map(
              (subject) => `test/browser/console${subject}.test.ts`,
            ),
          ],
          env: { TEST_BROWSER: 'firefox' },
          globalSetup: 'test/support/build-service.ts',
          fileParallelism: false,
          testTimeout: 60_000,
        },
      },
    ],
  },
});

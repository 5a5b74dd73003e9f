import { defineConfig } from 'vite';

const developmentProvider = `${import.meta.dirname}/src/dev/`;
const commands = `${import.meta.dirname}/src/commands/`;

/** Makes the entry of each command, `start:NAME`: it loads the command only if Node is new enough to read it. */
const startCommands = {
  name: 'start-commands',
  resolveId: (id: string) => (id.startsWith('start:') ? id : undefined),
  load: (id: string) =>
    id.startsWith('start:')
      ? `import { refuseOldNode } from '${commands}refuse-old-node.ts';
         await refuseOldNode(() => import('${commands}${id.slice('start:'.length)}.ts'));`
      : undefined,
};

/**
 * The service and its commands, with all packages in a few files: a start from the source resolves and links some
 * 1,600, which takes more than twice as long and a third as much memory again.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [startCommands],
  build: {
    ssr: true,
    outDir: 'dist/server',
    emptyOutDir: true,
    target: 'node24',
    minify: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        main: 'start:serve',
        ...Object.fromEntries(
          ['migrate', 'backup', 'rewrap', 'import', 'end', 'export', 'credential', 'assertion-key'].map(
            (name) => [name, `start:${name}`],
          ),
        ),
      },
      output: {
        // In one folder, two below the project's: what is beside the source is found from both in the same way.
        chunkFileNames: ({ facadeModuleId }) =>
          facadeModuleId?.startsWith(developmentProvider) ? 'dev/[name].js' : '[name]-[hash].js',
        // Else what two have in common can become part of one of them, and be loaded with it.
        codeSplitting: {
          groups: [
            { name: 'database', test: /\/node_modules\/(kysely|@mikro-orm\/(core|sql))\// },
            { name: 'operations', test: /\/src\/(api-keys|operations|plans)\/(?!plans-file|unknown-plans)/ },
          ],
        },
      },
      // A package of the development identity provider's compiles functions.
      onLog: (level, log, report) => log.code === 'EVAL' || report(level, log),
    },
  },
  ssr: {
    noExternal: true,
    // It looks for its compiled part beside itself.
    external: ['better-sqlite3'],
  },
});

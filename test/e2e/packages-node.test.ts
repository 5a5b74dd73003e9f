import { join } from 'node:path';
import { copyInto, installNodePackage } from '../support/node-package.ts';
import { describePackage } from '../support/package-suite.ts';

const frameworks = ['express', 'express-4', 'fastify', 'hono', '@hono/node-server'];
const apps = ['express', 'express-4', 'fastify', 'hono', 'http', 'fetch'];

describePackage({
  apis: apps.map((name) => ({
    name,
    isHere: true,
    command: (folder) => [process.execPath, join(folder, `${name}.ts`)],
  })),
  install: async (folder) => {
    await installNodePackage(folder, frameworks);
    await copyInto(
      folder,
      'test/packages/apps',
      [...apps, 'keyward'].map((name) => `${name}.ts`),
    );
  },
});

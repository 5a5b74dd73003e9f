// Builds the pages for a browser and the service into dist/. Run by `npm ci`, also where it installs for production:
// then there is no Vite, and perhaps an older Node.
const vite = await import('vite').catch(() => undefined);
const root = import.meta.dirname;
if (vite)
  for (const folder of [`${root}/web`, root])
    await vite.build({ configFile: `${folder}/vite.config.ts`, logLevel: 'warn' });
else process.stdout.write('Nothing is built: Vite is a development dependency.\n');

// Run by `npm ci`, also where it installs for production: then there is no Vite, and perhaps an older Node.
const vite = await import('vite').catch(() => undefined);
if (vite) await vite.build({ configFile: `${import.meta.dirname}/vite.config.ts`, logLevel: 'warn' });
else process.stdout.write('The pages for a browser are not built: Vite is a development dependency.\n');

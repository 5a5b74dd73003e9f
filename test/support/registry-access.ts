/** The environment by which npm reaches its registry from this machine. */
export const registryAccess = (): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value = '']) =>
      /^(npm_config_\w+|node_extra_ca_certs|\w+_proxy)$/i.test(name) ? [[name, value]] : [],
    ),
  ),
  // What was fetched once need not be fetched again.
  npm_config_prefer_offline: 'true',
});

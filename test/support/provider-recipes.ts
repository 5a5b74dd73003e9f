/** Assignments of a shell block, as the shell would read them. */
const variablesOf = (block: string): Record<string, string> => {
  const assignments = block.matchAll(/^([A-Z_]+)=(?:'([^']*)'|(.*))$/gm);
  return Object.fromEntries(
    [...assignments].map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']),
  );
};

/**
 * The recipes of the page about providers, by the title of their section: the variables of each block that names an
 * issuer.
 */
export const recipesOf = (page: string): ReadonlyMap<string, Record<string, string>> => {
  const sections = page.split('\n## ').map((section) => {
    const [, block = ''] = /```sh\n(.*?)```/s.exec(section) ?? [];
    return [section.split('\n', 1)[0] ?? '', variablesOf(block)] as const;
  });
  return new Map(sections.filter(([, variables]) => variables['AUTH_ISSUER'] ?? variables['AUTH_ISSUERS']));
};

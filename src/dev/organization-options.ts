import { type ParseArgsConfig, parseArgs } from 'node:util';
import { defaultRole, type OrganizationRoles, organizationsFault } from './organization-roles.ts';

/** The options that name organisations. Their order matters: a role belongs to the organisation before it. */
export const organizationOptions = {
  organization: { type: 'string', multiple: true },
  role: { type: 'string', multiple: true },
} as const satisfies ParseArgsConfig['options'];

/**
 * Reads the organisations of a command line, each with its role.
 * @param args the arguments of the command, which may have other options, too
 * @throws {Error} if they do not fit together; the message is a sentence for a person
 */
export function readOrganizations(args: readonly string[]): OrganizationRoles {
  const { tokens } = parseArgs({
    args: [...args],
    options: organizationOptions,
    strict: false,
    tokens: true,
  });
  const given: { id: string; role?: string }[] = [];
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, value = '' } = token;
    if (name === 'organization') {
      if (given.some(({ id }) => id === value)) throw new Error(`The organisation ${value} is given twice.`);
      given.push({ id: value });
    }
    if (name === 'role') addRole(given.at(-1), value);
  }
  const organizations = Object.fromEntries(given.map(({ id, role = defaultRole }) => [id, role]));
  const fault = organizationsFault(organizations);
  if (fault !== undefined) throw new Error(fault);
  return organizations;
}

function addRole(organization: { id: string; role?: string } | undefined, role: string): void {
  if (organization === undefined) throw new Error('The option --role needs an --organization before it.');
  if (organization.role !== undefined)
    throw new Error(`The organisation ${organization.id} has two roles. Give only one.`);
  organization.role = role;
}

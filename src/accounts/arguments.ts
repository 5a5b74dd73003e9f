import { z } from 'zod';
import { longestReason, trimmed } from '../operations/input.ts';

/** The operator's reason for an action, in words. */
export const reason = trimmed(z.string(), longestReason);

/** The same reason as an argument of a field. Each field gives its own example. */
export const reasonArgument = {
  required: true,
  description: `The reason, shown to the owner in the audit events: 1–${longestReason} characters without white space at either end.`,
} as const;

/** The argument that names an account. */
export const accountIdArgument = { required: true, description: 'Id of the account.', example: 1 } as const;

/** The arguments that name a person as an identity provider does, known to the service or not. */
export const issuerArgument = {
  required: true,
  description: 'The issuer: `iss` of the access tokens, 1–255 characters.',
  example: 'https://id.example.com',
} as const;
export const subjectArgument = {
  description:
    'The person: `sub` of the access tokens, 1–255 characters. Required, unless `organization` is given.',
  example: 'alice',
} as const;
export const organizationArgument = {
  description:
    'An organization, in place of a person: its id as in the access tokens, 1–255 visible ASCII characters, perhaps with spaces between them.',
  example: null,
} as const;

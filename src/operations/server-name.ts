import type { OperationContext } from './context.ts';

/**
 * Names the server of the provider that acts for an account: its name, if it has a secret of its own; else `sub (iss)` of
 * its access token, which is no such name.
 */
export const serverName = ({ caller, server }: Pick<OperationContext, 'caller' | 'server'>): string =>
  server ?? `${caller.subject} (${caller.issuer})`;

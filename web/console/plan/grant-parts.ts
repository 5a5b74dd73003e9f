import { graphql } from '../api/graphql.ts';

/** What a plan bounds. */
export const grantParts = graphql(`
  fragment GrantParts on Grant {
    permissions
    rateLimit {
      limit
      windowSeconds
    }
    quota {
      limit
      refill
    }
    maxActiveKeys
    maxKeyDays
    metadata
  }
`);

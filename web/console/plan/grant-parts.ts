import { graphql } from '../api/graphql.ts';

/** The limits of a plan. */
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

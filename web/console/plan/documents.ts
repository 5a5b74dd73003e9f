import { graphql } from '../api/graphql.ts';
import { grantParts } from './grant-parts.ts';

/** What the provider grants the person, and what is left of it. */
export const myEntitlementQuery = graphql(
  `
    query MyEntitlement {
      myEntitlement {
        plan
        effective {
          ...GrantParts
        }
        rateLimit {
          remaining
          resetsAt
        }
        quota {
          limit
          remaining
          refillsAt
        }
      }
    }
  `,
  [grantParts],
);

import { graphql } from '../api/graphql.ts';
import { grantParts } from './grant-parts.ts';

/** The plan of the person, and what is left of its limits. */
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

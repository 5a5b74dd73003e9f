import { graphql } from '../api/graphql.ts';

/** How often one of the caller's API keys was verified. */
export const apiKeyUsageQuery = graphql(`
  query ApiKeyUsage($keyId: Int!, $from: DateTime!, $to: DateTime!, $by: UsagePeriod!) {
    usage: apiKeyUsage(keyId: $keyId, from: $from, to: $to, by: $by) {
      counts {
        at
        outcome
        count
      }
    }
  }
`);

/** How often all of the caller's API keys were verified. */
export const apiKeysUsageQuery = graphql(`
  query ApiKeysUsage($from: DateTime!, $to: DateTime!, $by: UsagePeriod!) {
    usage: apiKeysUsage(from: $from, to: $to, by: $by) {
      counts {
        at
        outcome
        count
      }
    }
  }
`);

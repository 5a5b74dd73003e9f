import { graphql } from '../console/api/graphql.ts';

/** The account for which an element is: of a request that names one, that one alone. */
export const myAccountsQuery = graphql(`
  query MyAccounts {
    myAccounts {
      organizationId
      name
      role
    }
  }
`);

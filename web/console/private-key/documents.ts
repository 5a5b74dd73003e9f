import { graphql } from '../api/graphql.ts';

/** Whether there is a private key, and since when. */
export const privateKeyStatusQuery = graphql(`
  query PrivateKeyStatus {
    privateKeyStatus {
      hasKey
      createdAt
      updatedAt
    }
  }
`);

/** Stores a private key in place of any that is there. */
export const registerPrivateKeyMutation = graphql(`
  mutation RegisterPrivateKey($privateKey: String!) {
    registerPrivateKey(privateKey: $privateKey) {
      hasKey
    }
  }
`);

/** Forgets the private key. */
export const removePrivateKeyMutation = graphql(`
  mutation RemovePrivateKey {
    removePrivateKey {
      hasKey
    }
  }
`);

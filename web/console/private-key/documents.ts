import { graphql } from '../api/graphql.ts';

/** Whether there is a private key, and since when. */
export const privateKeyStatusQuery = graphql(`
  query PrivateKeyStatus {
    privateKeyStatus {
      hasKey
      fingerprint
      createdAt
      updatedAt
    }
  }
`);

/** Stores a private key and replaces any earlier one. */
export const registerPrivateKeyMutation = graphql(`
  mutation RegisterPrivateKey($privateKey: String!) {
    registerPrivateKey(privateKey: $privateKey) {
      hasKey
    }
  }
`);

/** Deletes the private key. */
export const removePrivateKeyMutation = graphql(`
  mutation RemovePrivateKey {
    removePrivateKey {
      hasKey
    }
  }
`);

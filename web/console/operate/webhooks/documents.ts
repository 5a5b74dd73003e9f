import { graphql } from '../../api/graphql.ts';

/** The fields of a webhook endpoint that an operator sees. */
const webhookEndpointParts = graphql(`
  fragment WebhookEndpointParts on WebhookEndpoint {
    id
    url
    events
    isConfigured
    headerNames
    pausedAt
    goneAt
    failingSince
    removedAt
    waitingCount
    parkedCount
    previousSignUntil
    lastAttemptAt
    lastOutcome
  }
`);

/** The first page of webhook endpoints: there are hardly ever more. */
export const webhookEndpointsQuery = graphql(
  `
    query WebhookEndpoints {
      webhookEndpoints(first: 100) {
        edges {
          node {
            ...WebhookEndpointParts
          }
        }
      }
    }
  `,
  [webhookEndpointParts],
);

/** One webhook endpoint. */
export const webhookEndpointQuery = graphql(
  `
    query WebhookEndpoint($endpointId: Int!) {
      webhookEndpoint(endpointId: $endpointId) {
        ...WebhookEndpointParts
      }
    }
  `,
  [webhookEndpointParts],
);

/** A page of the deliveries to a webhook endpoint. */
export const webhookDeliveriesQuery = graphql(`
  query WebhookDeliveries($endpointId: Int!, $state: WebhookDeliveryState, $first: Int!, $after: String) {
    webhookDeliveries(endpointId: $endpointId, state: $state, first: $first, after: $after) {
      edges {
        node {
          id
          type
          userId
          state
          createdAt
          attempts
          lastOutcome
          nextAttemptAt
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`);

/** Pauses or resumes a webhook endpoint. */
export const pauseWebhookEndpointMutation = graphql(`
  mutation PauseWebhookEndpoint($endpointId: Int!, $isPaused: Boolean!) {
    updateWebhookEndpoint(endpointId: $endpointId, isPaused: $isPaused) {
      id
    }
  }
`);

/** Resends a webhook delivery. */
export const resendWebhookDeliveryMutation = graphql(`
  mutation ResendWebhookDelivery($deliveryId: Int!) {
    resendWebhookDelivery(deliveryId: $deliveryId) {
      id
    }
  }
`);

/** The message of a delivery. */
export const webhookMessageQuery = graphql(`
  query WebhookMessage($endpointId: Int!, $deliveryId: Int!) {
    webhookDelivery(endpointId: $endpointId, deliveryId: $deliveryId) {
      message
      payload
    }
  }
`);

/** Adds a webhook endpoint. */
export const createWebhookEndpointMutation = graphql(`
  mutation CreateWebhookEndpoint($url: String!, $events: [String!], $headers: JSONObject) {
    endpoint: createWebhookEndpoint(url: $url, events: $events, headers: $headers) {
      id
      secret
    }
  }
`);

/** Changes the events and the headers of a webhook endpoint. */
export const updateWebhookEndpointMutation = graphql(`
  mutation UpdateWebhookEndpoint($endpointId: Int!, $events: [String!], $headers: JSONObject) {
    updateWebhookEndpoint(endpointId: $endpointId, events: $events, headers: $headers) {
      id
    }
  }
`);

/** Gives a webhook endpoint a new signing secret. */
export const rotateWebhookSecretMutation = graphql(`
  mutation RotateWebhookSecret($endpointId: Int!, $graceSeconds: Int!) {
    endpoint: rotateWebhookSecret(endpointId: $endpointId, graceSeconds: $graceSeconds) {
      id
      secret
    }
  }
`);

/** Removes a webhook endpoint. */
export const removeWebhookEndpointMutation = graphql(`
  mutation RemoveWebhookEndpoint($endpointId: Int!) {
    removeWebhookEndpoint(endpointId: $endpointId) {
      id
    }
  }
`);

import type { Plugin } from 'graphql-yoga';
import { graphqlPath } from './use-graphql-endpoint.ts';

const tabs = [
  `# Headers, below: "Authorization": "Bearer <access token>".
# Whether you have a private key registered.
query PrivateKeyStatus {
  privateKeyStatus {
    hasKey
    createdAt
    updatedAt
  }
}
`,
  `# Headers, below: "Authorization": "Bearer <access token>".
# Deactivates one of your API keys.
mutation DeactivateApiKey {
  deactivateApiKey(keyId: 1) {
    id
    keyPrefix
    name
    isActive
    isDefault
  }
}
`,
  `# Headers, below: "Authorization": "Bearer <access token>".
# Changes your automation settings:
# what is left out stays as it is, null clears it.
mutation UpdateAutomationSettings {
  updateAutomationSettings(
    isEnabled: true
    sessionDuration: 3600
  ) {
    isEnabled
    sessionDuration
    userId
    updatedAt
  }
}
`,
].map((query) => ({ query, headers: '{ "Authorization": "" }' }));

// The page is 9 MB of script: loaded when it is first asked for, and put together once.
let page: Promise<string> | undefined;
const renderPage = async () => {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  return renderGraphiQL({ title: 'Keyward', endpoint: graphqlPath, defaultTabs: tabs } as never);
};

/** Shows GraphiQL to a browser that opens the GraphQL endpoint; all of the page comes from this server. */
export const useGraphiQL = (): Plugin => ({
  onRequest: async ({ request, url, endResponse, fetchAPI }) => {
    const wantsPage = request.method === 'GET' && request.headers.get('accept')?.includes('text/html');
    if (!wantsPage || url.pathname !== graphqlPath) return;
    page ??= renderPage();
    endResponse(
      new fetchAPI.Response(await page, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
    );
  },
});

const header = (description: string) => ({ description, schema: { type: 'string' } });

/** Forward auth in OpenAPI 3.1: no GraphQL field describes it. */
export const forwardAuthOpenApi = {
  paths: {
    '/api/v1/keys/authorize': {
      get: {
        operationId: 'authorizeApiKey',
        tags: ['Verification'],
        summary: 'Tells a reverse proxy whether the API key of a request is good.',
        description:
          'Tells a reverse proxy whether the API key of a request is good. Any method will do, and any path may follow. ' +
          'Anything but 200 means no.',
        responses: {
          200: {
            description: 'The key is good.',
            headers: {
              'X-Keyward-User': header('The account that the key belongs to.'),
              'X-Keyward-Key': header('The identifier of the key.'),
            },
          },
          401: { $ref: '#/components/responses/Unauthorized' },
          429: { $ref: '#/components/responses/TooManyRequests' },
          500: { $ref: '#/components/responses/InternalServerError' },
          503: { $ref: '#/components/responses/ServiceUnavailable' },
        },
        security: [{ ApiKeyBearer: [] }, { ApiKeyHeader: [] }],
      },
    },
  },
  securitySchemes: {
    ApiKeyBearer: { type: 'http', scheme: 'bearer', description: 'An API key in place of an access token.' },
    ApiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
  },
};

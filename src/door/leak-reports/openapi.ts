import { errorAnswer, requiredHeader as header, responseRef as ref } from '../../rest/openapi-parts.ts';

const member = (description: string) => ({ type: 'string', description });

const listOf = (properties: Record<string, object>, required: readonly string[]) => ({
  type: 'array',
  maxItems: 1000,
  items: { type: 'object', properties, required },
});

const token = `sk-a1b2c3.${'0'.repeat(64)}`;
const type = 'keyward_api_key';

/** The OpenAPI 3.1 description of reports of leaked keys. No GraphQL field describes them. */
export const leakReportsPaths = {
  '/api/v1/keys/leaks': {
    post: {
      operationId: 'reportLeakedKeys',
      tags: ['Verification'],
      summary: 'Report leaked API keys',
      description:
        'Takes a report of API keys that were found in public. GitHub sends it through its secret scanning partner program. It needs no access token, but a signature by one of the keys that GitHub publishes. Available unless `LEAKED_KEYS=off`. Safe to repeat.',
      parameters: [
        header(
          'Github-Public-Key-Identifier',
          'Id of the key that signed the report.',
          'bcb53661c06b4728e59d897fb6165d5c9cda0fd9cdf9d09ead458168deb7518c',
        ),
        header(
          'Github-Public-Key-Signature',
          'Signature of the body (ECDSA on P-256 with SHA-256), as DER in base64.',
          'MEQCIDaMKqrGnE27S0kgMrEK0eYBmyG0LeZismAEz1BgZyt7AiAfXt9fErtRS4XaeSt1AO1RtBY66YcAdjxji410VQV4xg==',
        ),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: listOf(
              {
                token: member('The text that was found.'),
                type: member('The type of key, as registered with GitHub.'),
                url: member('Where it was found. May be empty.'),
                source: member('The kind of place, such as `content` or `commit`.'),
              },
              ['token'],
            ),
            example: [
              {
                token,
                type,
                url: 'https://github.com/octocat/Hello-World/blob/main/a.txt',
                source: 'content',
              },
            ],
          },
        },
      },
      responses: {
        200: {
          description: 'Which of the texts are or were API keys.',
          content: {
            'application/json': {
              schema: listOf(
                {
                  token_raw: member('The text as it was sent.'),
                  token_type: member('The type as it was sent. Missing if none was.'),
                  label: {
                    enum: ['true_positive', 'false_positive'],
                    description: 'Whether the text is or was the secret of an API key.',
                  },
                },
                ['token_raw', 'label'],
              ),
              example: [{ token_raw: token, token_type: type, label: 'false_positive' }],
            },
          },
        },
        403: errorAnswer(
          'The signature is missing or wrong, or the signing key is unknown.',
          'The report is not signed by a known key',
        ),
        413: ref('PayloadTooLarge'),
        422: ref('UnprocessableContent'),
        429: ref('TooManyRequests'),
        500: ref('InternalServerError'),
        503: ref('ServiceUnavailable'),
      },
      security: [],
    },
  },
};

import { requiredHeader as header, responseRef as ref } from '../../rest/openapi-parts.ts';

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
      summary: 'Takes a report of API keys that were found in public.',
      description:
        'Takes a report of API keys that were found in public. GitHub sends it, by its secret scanning partner programme; it needs no access token, but a signature by one of the keys that GitHub publishes. Only where it runs with `LEAKED_KEYS=end` or `LEAKED_KEYS=mark`. A repetition changes nothing.',
      parameters: [
        header(
          'Github-Public-Key-Identifier',
          'The key that has signed the report.',
          'bcb53661c06b4728e59d897fb6165d5c9cda0fd9cdf9d09ead458168deb7518c',
        ),
        header(
          'Github-Public-Key-Signature',
          'ECDSA on P-256 with SHA-256 over the body, byte for byte: DER in base64.',
          'MEQCIDaMKqrGnE27S0kgMrEK0eYBmyG0LeZismAEz1BgZyt7AiAfXt9fErtRS4XaeSt1AO1RtBY66YcAdjxji410VQV4xg==',
        ),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: listOf(
              {
                token: member('What was found.'),
                type: member('What kind of key it is, as it was registered at GitHub.'),
                url: member('Where it was found; it may be empty.'),
                source: member('In what it was found: `content`, `commit` and the like.'),
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
          description: 'Which of them are API keys, or were.',
          content: {
            'application/json': {
              schema: listOf(
                {
                  token_raw: member('As it was sent.'),
                  token_type: member('The same, where it was sent.'),
                  label: {
                    enum: ['true_positive', 'false_positive'],
                    description: 'Whether it is the secret of an API key, or was one.',
                  },
                },
                ['token_raw', 'label'],
              ),
              example: [{ token_raw: token, token_type: type, label: 'false_positive' }],
            },
          },
        },
        403: {
          description: 'The signature is missing, is wrong, or is by a key that is not known.',
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Error' },
              example: { detail: 'The report is not signed by a key that is known here' },
            },
          },
        },
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

import { integer, seconds } from '../values/kinds.ts';

/** The variables that limit connections and requests. */
export const httpVariables = {
  HTTP_MAX_BODY: integer(1024, 16_777_216).default(65_536).meta({
    description: 'The largest request body, in bytes. A larger one gets 413',
    example: '131072',
  }),
  HTTP_MAX_HEADERS: integer(4096, 1_048_576).default(16_384).meta({
    description: 'The largest request line with headers, in bytes. More gets 431',
    example: '32768',
  }),
  HTTP_MAX_CONNECTIONS: integer(1, 1_000_000).default(10_000).meta({
    description: 'The most connections of each process. Further ones are closed at once',
    example: '2000',
  }),
  HTTP_HEADERS_TIMEOUT: seconds(1, 600).default(10).meta({
    description:
      'How long the headers of a request may take to arrive, in seconds (at most `HTTP_REQUEST_TIMEOUT`). After that: 408',
    example: '5',
  }),
  HTTP_REQUEST_TIMEOUT: seconds(1, 600).default(12).meta({
    description: 'How long a whole request may take to arrive, in seconds. After that: 408',
    example: '30',
  }),
  HTTP_ANSWER_TIMEOUT: seconds(1, 600).default(30).meta({
    description: 'How long a response may take, in seconds. After that: 503',
    example: '60',
  }),
  HTTP_KEEP_ALIVE_TIMEOUT: seconds(1, 600).default(65).meta({
    description:
      'How long an idle connection is kept, in seconds. Behind a proxy, longer than the proxy keeps its own',
    example: '5',
  }),
};

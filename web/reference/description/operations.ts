import type { Description, Operation, Parameter, Schema } from './openapi.ts';
import { findParameter } from './openapi.ts';

/** What a request carries to say who sends it. */
export type Credential = 'token' | 'key' | 'none';

/** A JSON body of a request. */
export interface Body {
  readonly schema: Schema;
  readonly example: unknown;
}

/** An operation, with what its place in the description says about it. */
export interface FoundOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly credential: Credential;
}

/** The security scheme of an API key in a header of its own. */
export const keyScheme = 'ApiKeyHeader';

function credentialOf({ security }: Operation): Credential {
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  if (schemes.includes(keyScheme)) return 'key';
  return schemes.length > 0 ? 'token' : 'none';
}

const mediaType = 'application/json';

/** The media type of a form. */
export const formType = 'application/x-www-form-urlencoded';

/** The parameters of an operation whose body is a form. */
function formOf({ requestBody }: Operation): readonly Parameter[] {
  const { schema, example } = requestBody?.content[formType] ?? {};
  return Object.entries(schema?.properties ?? {}).map(([name, member]) => ({
    name,
    in: 'form',
    required: schema?.required?.includes(name) ?? false,
    ...(member.description !== undefined && { description: member.description }),
    schema: member,
    example: (example as Readonly<Record<string, unknown>> | undefined)?.[name],
  }));
}

/** An operation as it is found at a path and a method. */
export const findOperation = (
  description: Description,
  path: string,
  method: string,
  operation: Operation,
): FoundOperation => {
  const content = operation.requestBody?.content[mediaType];
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    operation,
    parameters: [
      ...(operation.parameters ?? []).map((given) => findParameter(description, given)),
      ...formOf(operation),
    ],
    body: content && { schema: content.schema, example: content.example },
    credential: credentialOf(operation),
  };
};

/** All operations, in the order of the description. */
export const operationsIn = (description: Description): readonly FoundOperation[] =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => findOperation(description, path, method, operation)),
  );

/** Whether an operation changes something. A verification changes nothing but counts. */
export const isChange = ({ method, id }: FoundOperation): boolean =>
  method !== 'GET' && !readsByPost.includes(id);

/** They take a key in the body, so that it never appears in an address. */
const readsByPost = ['verifyApiKey', 'findApiKey', 'introspectToken'];

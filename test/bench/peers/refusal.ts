/** A request that is answered with an error: the status and text for REST, the code for GraphQL. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.code = code;
  }
}

/** No token. */
export const notAuthenticated = () => new Refusal(401, 'UNAUTHENTICATED', 'Not authenticated');

/** A token that will not do. */
export const invalidToken = (cause: unknown) =>
  new Refusal(401, 'UNAUTHENTICATED', 'Could not validate credentials', cause);

/** A good token without these scopes. */
export const insufficientScope = (missing: readonly string[]) =>
  new Refusal(403, 'FORBIDDEN', `The access token lacks the scope: ${missing.join(' ')}`);

/** No such API key, or somebody else's. */
export const keyNotFound = () => new Refusal(404, 'NOT_FOUND', 'API key not found');

/** An input that is not valid. */
export const invalidInput = (message: string, cause?: unknown) =>
  new Refusal(422, 'BAD_USER_INPUT', message, cause);

const bodies = new WeakMap<Response, Uint8Array>();

/** Marks an answer whose body is the same bytes for everyone: they are written as they are, and never copied. */
export function shareBody(response: Response, body: Uint8Array): Response {
  bodies.set(response, body);
  return response;
}

/** The bytes that an answer shares with others; undefined where it has a body of its own. */
export const sharedBodyOf = (response: Response): Uint8Array | undefined => bodies.get(response);

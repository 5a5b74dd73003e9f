import type { ComponentType } from 'react';
import { takesToken } from './authorize.ts';

/** A request as Swagger UI keeps it, in a map of Immutable.js. */
interface KeptRequest {
  get(name: 'url'): string;
  setIn(path: readonly string[], value: string): KeptRequest;
}

interface CurlProps {
  readonly request: KeptRequest;
}

/** The parts of Swagger UI that a plugin is given. */
interface System {
  readonly React: typeof import('react');
}

/** Shown in place of the token. */
const placeholder = 'Bearer <ACCESS_TOKEN>';

/** Adds a placeholder for the token to the curl command that Swagger UI shows. */
export const showToken = {
  wrapComponents: {
    curl:
      (Curl: ComponentType<CurlProps>, { React }: System) =>
      ({ request, ...rest }: CurlProps) =>
        React.createElement(Curl, {
          ...rest,
          request: takesToken(request.get('url'))
            ? request.setIn(['headers', 'Authorization'], placeholder)
            : request,
        }),
  },
};

import { Code } from './code.tsx';
import { Only } from './only.tsx';
import { usualKeyHeader } from './placeholders.ts';

/** Who sends a request. */
export const SignIn = () => (
  <>
    <p>
      Send the access token from your identity provider with each request, as{' '}
      <code>Authorization: Bearer …</code>. It needs the scopes that the operation lists. The samples read it
      from an environment variable:
    </p>
    <Code text="export ACCESS_TOKEN=…" language="curl" />
    <ul>
      <li>
        <a href="#error-401">401</a>: the token is missing, has expired or is not valid. Get a new one.
      </li>
      <li>
        <a href="#error-403">403</a>: the token lacks a scope. <code>WWW-Authenticate</code> lists all that
        the operation needs.
      </li>
    </ul>
    <p>
      A few operations under <a href="#verification">Verification</a> take an API key in place of a token, in{' '}
      <code>{usualKeyHeader}</code>
      <Only when="bearer-keys">
        {' '}
        or as <code>Authorization: Bearer</code>
      </Only>
      . Their samples read it from <code>API_KEY</code>.
    </p>
  </>
);

/** How many requests a caller may send. */
export const Limits = () => (
  <p>
    Responses that count towards a limit say what is left: <code>RateLimit-Policy: "account";q=600;w=60</code>{' '}
    allows 600 requests in 60 seconds, and <code>RateLimit: "account";r=587;t=42</code> leaves 587 for the
    next 42 seconds. Above a limit, the status is <a href="#error-429">429</a>. <code>Retry-After</code> says
    how many seconds to wait.
  </p>
);

/** What may be sent again. */
export const Retries = () => (
  <>
    <p>
      After <a href="#error-503">503</a>, or if no response arrives, send a <code>GET</code>, <code>PUT</code>
      , <code>PATCH</code> or <code>DELETE</code> again: twice has the same result as once. For a{' '}
      <code>POST</code> that creates or rotates something, send an <code>Idempotency-Key</code> with the first
      request and with each repeat:
    </p>
    <p>
      <code>Idempotency-Key: 6f2d6e0c-6d0e-4c43-9a0a-0d6b6c9a1a55</code>
    </p>
    <p>
      For 24 hours, the same request with the same key runs once and gets the same response, including a new
      secret. Choose a value that nobody can guess, such as a UUID.
    </p>
  </>
);

/** How to read and change one state of a record. */
export const Entities = () => (
  <p>
    The response with one record has an <code>ETag</code>. Send it as <code>If-None-Match</code> when you read
    again: if nothing has changed, the status is <a href="#error-304">304</a>, without a body. Send it as{' '}
    <code>If-Match</code> with a change: if somebody else changed the record since, nothing is done and the
    status is <a href="#error-412">412</a>. Lists have no <code>ETag</code>.
  </p>
);

/** How to read a long list. */
export const Pages = () => (
  <p>
    A list may come in pages. If there is a next page, its address is in the <code>Link</code> header, with{' '}
    <code>rel="next"</code>. Follow it until a response has none.
  </p>
);

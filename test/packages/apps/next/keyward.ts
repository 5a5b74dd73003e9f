import { type Caller, createKeyward } from '@keyward/node';

// The build knows no environment: it loads the routes, but answers no requests.
const { KEYWARD_URL = 'http://127.0.0.1:4000', KEYWARD_TIMEOUT_MS = '5000' } = process.env;

/** Asks the Keyward that the environment names. */
export const keyward = createKeyward({
  url: KEYWARD_URL,
  credential: () => process.env.KEYWARD_CREDENTIAL ?? '',
  timeout: Number(KEYWARD_TIMEOUT_MS),
});

/** The client's address, as a proxy in front of Next.js sets it. Without one, clients could choose it. */
export const address = (request: Request) => request.headers.get('x-forwarded-for') ?? undefined;

/** What each route answers. */
export const describe = ({ user_id, key_id, permissions }: Caller) =>
  Response.json({ user_id, key_id, permissions });

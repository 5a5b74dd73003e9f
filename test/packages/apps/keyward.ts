import { type Caller, createKeyward } from '@keyward/node';

const { KEYWARD_URL = '', KEYWARD_CREDENTIAL = '', KEYWARD_TIMEOUT_MS = '5000', PORT = '' } = process.env;

/** Asks the Keyward that the environment names. */
export const keyward = createKeyward({
  url: KEYWARD_URL,
  credential: KEYWARD_CREDENTIAL,
  timeout: Number(KEYWARD_TIMEOUT_MS),
});

/** What each route needs. */
export const needs = {
  me: {},
  documents: { permissions: ['documents.read'] },
  exports: { cost: 5 },
};

/** Where the application listens. */
export const listenAt = { port: Number(PORT), host: '127.0.0.1' };

/** What each route answers. */
export const describe = (caller: Caller | undefined) => ({
  user_id: caller?.user_id,
  key_id: caller?.key_id,
  permissions: caller?.permissions,
});

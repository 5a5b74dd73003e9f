import { createSecretKey, type KeyObject } from 'node:crypto';

/** What every peer is told about its surroundings: the same variables as Keyward. */
export interface Environment {
  readonly port: number;
  readonly databaseUrl: string;
  /** The path of the SQLite file. */
  readonly databaseFile: string;
  readonly issuer: string;
  readonly audience: string;
  /** After how many runs Mercurius compiles a document; 0: never. */
  readonly mercuriusJit: number;
  /** Under which API keys are hashed. */
  readonly pepper: KeyObject;
}

const required = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};

/**
 * Reads the environment.
 * @throws {Error} that names a variable which is not set
 */
export const readEnvironment = (): Environment => ({
  port: Number(required('PORT')),
  databaseUrl: required('DATABASE_URL'),
  databaseFile: required('DATABASE_URL').slice('sqlite:'.length),
  issuer: required('AUTH_ISSUER'),
  audience: required('AUTH_AUDIENCE'),
  mercuriusJit: Number(process.env['MERCURIUS_JIT'] ?? 1),
  // VERSION:SECRET
  pepper: createSecretKey(Buffer.from(required('KEY_PEPPERS').split(':')[1] ?? '', 'base64')),
});

import { ConfigError, NotThereError } from '../../config/config-error.ts';

/** SQLSTATEs of a server that takes no connection now: it starts or stops, has too many, or a pooler cannot reach it. */
const passingState = /^(08|53|57P)/;

/** What the operating system says of a server that cannot be reached: it is down, or its name or network is. */
const unreachable =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)(UNREACH|DOWN)|EAI_AGAIN|ENOTFOUND)$/;

/** The errors of `pg` that have no code, of a server that is silent or hangs up. */
const silent = /timeout|terminated/i;

const isPassing = ({ code, message }: Error & { readonly code?: string }): boolean =>
  code === undefined ? silent.test(message) : passingState.test(code) || unreachable.test(code);

/**
 * Says why PostgreSQL cannot be used, by the code of the failure: nothing of the URL, which may hold a password.
 * @throws {NotThereError} where it may be there later
 * @throws {ConfigError} for anything else
 */
export function refuseServer(error: Error & { readonly code?: string }): never {
  const reason = error.code ?? error.message;
  if (isPassing(error)) {
    throw new NotThereError(
      `Keyward cannot start: the PostgreSQL of DATABASE_URL takes no connection now (${reason}). It ends with exit code 75, to be started again.`,
      { cause: error },
    );
  }
  const fault = `DATABASE_URL names a database that cannot be used (${reason}): are its name, user and password right?`;
  throw new ConfigError([fault], { cause: error });
}

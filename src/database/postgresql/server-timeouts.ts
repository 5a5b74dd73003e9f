import type { ClientConfig } from 'pg';
import type { DatabaseConfig } from '../../config/config.ts';
import type { Warn } from '../backend.ts';

const refusedWarning =
  'a pooler between Keyward and PostgreSQL refuses time-outs at the start of a connection: PostgreSQL is given none; ALTER ROLE … SET statement_timeout and idle_in_transaction_session_timeout for the user of DATABASE_URL';

/** How long a statement and an idle transaction may take, told to PostgreSQL as a connection starts. */
export class ServerTimeouts {
  readonly #timeouts: DatabaseConfig['timeouts'];
  readonly #warn: Warn;
  #refused = false;

  /** @param warn told at most once, where they are refused */
  constructor(timeouts: DatabaseConfig['timeouts'], warn: Warn) {
    this.#timeouts = timeouts;
    this.#warn = warn;
  }

  /** What a connection says of them as it starts. */
  get parameters(): ClientConfig {
    if (this.#refused) return {};
    const { statement, idleInTransaction } = this.#timeouts;
    return { statement_timeout: statement, idle_in_transaction_session_timeout: idleInTransaction };
  }

  /** Leaves them out from now on where they are why a connection was refused; false for any other error. */
  leaveOut(error: Error & { readonly code?: unknown }): boolean {
    // The words of PgBouncer, which knows no other language: "unsupported startup parameter: statement_timeout".
    const refused = error.code === '08P01' && /startup parameter.*_timeout/.test(error.message);
    if (refused && !this.#refused) this.#warn(refusedWarning);
    this.#refused ||= refused;
    return refused;
  }
}

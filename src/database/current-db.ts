import type { SqlEntityManager } from '@mikro-orm/sql';
import { serviceUnavailable } from '../errors.ts';
import { Db } from './db.ts';

/** Whether this version can still work with the schema of the database. */
export interface SchemaState {
  /** The change that a newer version made, in words; undefined while this version can work. */
  readonly fault: string | undefined;
}

/**
 * The database of the parts that work in the background. Once a newer version has changed the schema, it refuses all
 * reads and writes: this version could write what the newer one does not expect.
 */
export class CurrentDb extends Db {
  readonly #schema: SchemaState;

  constructor(em: SqlEntityManager, schema: SchemaState) {
    super(em);
    this.#schema = schema;
  }

  /** @throws {GatewayError} `SERVICE_UNAVAILABLE` if a newer version has changed the schema */
  override assertInTime(): void {
    if (this.#schema.fault !== undefined) throw serviceUnavailable('schema-newer');
    super.assertInTime();
  }

  override transaction<Result>(run: (db: Db) => Promise<Result>): Promise<Result> {
    return super.transaction((db) => {
      this.assertInTime();
      return run(db);
    });
  }
}

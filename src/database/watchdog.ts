import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';

/** How often the database is asked, and how long it may take to say anything, in milliseconds. */
const interval = 5000;

/**
 * Notices a database connection that neither answers nor fails, which nothing in this process can mend.
 * A database that is down fails at once, and is waited for.
 * @param onHang called once; the process is then best ended, and started again by its supervisor
 */
export function watchDatabase(orm: MikroORM<AbstractSqlDriver>, onHang: () => void): Disposable {
  let hang: NodeJS.Timeout | undefined;
  const answered = () => {
    clearTimeout(hang);
    hang = undefined;
  };
  const stop = () => {
    clearInterval(timer);
    answered();
  };
  const timer = setInterval(() => {
    hang ??= setTimeout(() => {
      stop();
      onHang();
    }, interval).unref();
    orm.em.getConnection().execute('select 1').then(answered, answered);
  }, interval).unref();
  return { [Symbol.dispose]: stop };
}

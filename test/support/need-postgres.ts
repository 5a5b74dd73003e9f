import { beforeEach, inject } from 'vitest';

beforeEach(({ skip }) => {
  const fault = inject('postgresFault');
  if (fault !== undefined) skip(`no PostgreSQL: ${fault}`);
});

import { describe, expect, it } from 'vitest';
import { beginExchange } from '../../../src/http/exchange.ts';

const begin = (answerTimeout?: number) =>
  beginExchange({ method: 'GET', url: '/', headers: {}, body: Buffer.alloc(0) }, null, answerTimeout);

describe('the time by which a request is answered', () => {
  it('is a tenth earlier than the timeout of the connection', () => {
    const { answerBy, record } = begin(30_000);
    expect(answerBy - record.startedAt).toBeCloseTo(27_000);
  });

  it('no timeout → no deadline', () => {
    expect(begin().answerBy).toBe(Number.POSITIVE_INFINITY);
  });
});

import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  badUserInput,
  type ErrorCode,
  GatewayError,
  outcomeUnknown,
  serviceUnavailable,
  toGatewayError,
  unwrap,
} from '../../src/errors.ts';

const notFound = new GatewayError('NOT_FOUND', 'API key not found');

const wrap = (originalError: Error) => new GraphQLError('wrapped', { originalError });

describe('GatewayError', () => {
  it.each<[ErrorCode, number]>([
    ['BAD_REQUEST', 400],
    ['UNAUTHENTICATED', 401],
    ['FORBIDDEN', 403],
    ['NOT_FOUND', 404],
    ['METHOD_NOT_ALLOWED', 405],
    ['NOT_ACCEPTABLE', 406],
    ['CONFLICT', 409],
    ['PAYLOAD_TOO_LARGE', 413],
    ['UNSUPPORTED_MEDIA_TYPE', 415],
    ['BAD_USER_INPUT', 422],
    ['INTERNAL_SERVER_ERROR', 500],
    ['SERVICE_UNAVAILABLE', 503],
    ['OUTCOME_UNKNOWN', 503],
  ])('%s → status %i', (code, status) => {
    expect(new GatewayError(code, 'x')).toMatchObject({ code, status, headers: {}, issues: [] });
  });

  it('keeps its reason and its cause out of its message', () => {
    const cause = new Error('disk');
    const error = new GatewayError('SERVICE_UNAVAILABLE', 'Service Unavailable', { reason: 'why', cause });
    expect(error).toMatchObject({ message: 'Service Unavailable', reason: 'why', cause });
  });
});

describe('badUserInput', () => {
  it('lists every issue with its place', () => {
    const issues = [
      { path: ['isEnabled'], message: 'Must be true or false.', type: 'bool_type' },
      { path: ['sessionDuration'], message: 'Must be an integer.', type: 'int_type' },
    ];
    const error = badUserInput(issues);
    expect(error.message).toBe('isEnabled: Must be true or false. sessionDuration: Must be an integer.');
    expect(error).toMatchObject({ code: 'BAD_USER_INPUT', issues });
  });
});

describe('serviceUnavailable', () => {
  it('says when to try again', () => {
    const error = serviceUnavailable('database', notFound);
    expect(error).toMatchObject({ status: 503, message: 'Service Unavailable', reason: 'database' });
    expect(error.headers).toEqual({ 'retry-after': '5' });
    expect(error.cause).toBe(notFound);
  });

  it('headers added to one error → do not appear in the next one', () => {
    const errors = [serviceUnavailable('a'), outcomeUnknown('b', notFound), serviceUnavailable('c')];
    for (const { headers } of errors) Object.assign(headers, { 'x-request-id': '1' });
    expect(serviceUnavailable('d').headers).toEqual({ 'retry-after': '5' });
    expect(outcomeUnknown('e', notFound).headers).toEqual({ 'retry-after': '5' });
  });
});

describe('toGatewayError', () => {
  it('a GatewayError, even wrapped in several errors → returned unchanged', () => {
    expect(toGatewayError(notFound)).toBe(notFound);
    expect(toGatewayError(wrap(wrap(notFound)))).toBe(notFound);
  });

  it.each([new Error('select * from secrets'), 'select', undefined, null, { message: 'select' }])(
    '%o, which nobody expected → masked as an internal server error',
    (thrown) => {
      const error = toGatewayError(thrown);
      expect(error).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', message: 'Internal Server Error' });
      expect(error.cause).toBe(thrown);
    },
  );

  it('a wrapped error → becomes the cause', () => {
    const inner = new TypeError('x is not a function');
    expect(toGatewayError(wrap(inner)).cause).toBe(inner);
  });
});

describe('GatewayError and stack traces', () => {
  it('has no stack trace, and errors after it have theirs', () => {
    expect(new GatewayError('NOT_FOUND', 'Not Found').stack).toBe('GatewayError: Not Found');
    expect(new Error('another').stack).toContain('errors.test.ts');
  });
});

describe('unwrap', () => {
  it('a wrapped error → the innermost one; any other → unchanged', () => {
    const bare = new GraphQLError('bare');
    expect(unwrap(wrap(wrap(notFound)))).toBe(notFound);
    expect(unwrap(bare)).toBe(bare);
    expect(unwrap({ originalError: notFound })).toEqual({ originalError: notFound });
  });
});

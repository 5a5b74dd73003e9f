import { describe, expect, it } from 'vitest';
import { ConfigError, NotThereError } from '../../../../src/config/config-error.ts';
import { refuseServer } from '../../../../src/database/postgresql/options.ts';

const fail = (message: string, code?: string): Error & { readonly code?: string } =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe('a server that takes no connection now → NotThereError, without its name or address', () => {
  it.each([
    ['a port that nobody listens on', fail('connect ECONNREFUSED 10.0.0.1:5432', 'ECONNREFUSED')],
    ['a name that is not known', fail('getaddrinfo ENOTFOUND c4n4ry', 'ENOTFOUND')],
    ['a name server that is down', fail('getaddrinfo EAI_AGAIN c4n4ry', 'EAI_AGAIN')],
    ['a host that hangs up', fail('read ECONNRESET', 'ECONNRESET')],
    ['a host that says nothing', fail('Connection terminated due to connection timeout')],
    ['a connection that ends at once', fail('Connection terminated unexpectedly')],
    ['a server that starts', fail('the database system is starting up', '57P03')],
    [
      'a socket that is not there yet',
      Object.assign(fail('connect ENOENT', 'ENOENT'), { syscall: 'connect' }),
    ],
    ['a server with too many connections', fail('sorry, too many clients already', '53300')],
    ['a pooler whose server is down', fail('server login has been failing: c4n4ry', '08P01')],
  ])('%s', (_what, error) => {
    const refuse = () => refuseServer(error);
    expect(refuse).toThrow(NotThereError);
    expect(refuse).toThrow(`takes no connection now (${error.code ?? error.message})`);
    expect(refuse).not.toThrow(/c4n4ry|10\.0/);
  });
});

describe('a server whose TLS fails → ConfigError that names the fault', () => {
  it.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'name the certificate of its authority in sslrootcert, or accept any'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'in sslrootcert, or accept any certificate with sslmode=no-verify'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'name the certificate of its authority in sslrootcert'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'name the certificate of its authority in sslrootcert'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'whose certificate is for another host'],
    ['CERT_HAS_EXPIRED', 'whose certificate has expired'],
    ['CERT_NOT_YET_VALID', 'whose certificate is not valid yet'],
    ['ERR_OSSL_PEM_NO_START_LINE', 'whose TLS fails: are sslcert, sslkey and sslrootcert right?'],
  ])('%s', (code, fault) => {
    const refuse = () => refuseServer(fail('c4n4ry', code));
    expect(refuse).toThrow(ConfigError);
    expect(refuse).toThrow(fault);
    expect(refuse).toThrow(`(${code})`);
    expect(refuse).not.toThrow(/c4n4ry|password/);
  });

  it('a server without TLS → told to turn it on, or to use sslmode=disable', () => {
    const refuse = () => refuseServer(fail('The server does not support SSL connections'));
    expect(refuse).toThrow('a server that does not speak TLS: turn it on there, or use sslmode=disable');
  });
});

describe('a wrong configuration → ConfigError, without names', () => {
  it.each([
    [
      'a wrong password',
      fail('failed for user "c4n4ry"', '28P01'),
      'the user or the password in DATABASE_URL',
    ],
    ['a user who is not let in', fail('role "c4n4ry" does not exist', '28000'), 'add ?sslmode=verify-full'],
    ['a missing database', fail('database "c4n4ry" does not exist', '3D000'), 'createdb --encoding=UTF8'],
    ['an unknown fault', fail('SASL: the password is missing'), 'a database that cannot be used'],
  ])('%s', (_what, error, words) => {
    const refuse = () => refuseServer(error);
    expect(refuse).toThrow(ConfigError);
    expect(refuse).toThrow(words);
    expect(refuse).toThrow(`(${error.code ?? error.message})`);
    expect(refuse).not.toThrow(/c4n4ry/);
  });
});

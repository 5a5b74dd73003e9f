import SchemaBuilder from '@pothos/core';
import type { GraphQLObjectType, OperationTypeNode } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { AccessToken } from '../../../src/auth/access-token.ts';
import { requireScopes } from '../../../src/auth/required-scopes.ts';
import type { Scope } from '../../../src/auth/scopes.ts';

const createBuilder = () => new SchemaBuilder({ plugins: ['requireScopes'] });

type RootKind = 'query' | 'mutation' | 'subscription';

/** A schema with one root field, built without the compiler's help. */
const build = (kind: RootKind, scopes?: readonly string[]) => {
  const builder = createBuilder();
  builder.queryType();
  if (kind === 'mutation') builder.mutationType();
  if (kind === 'subscription') builder.subscriptionType();
  const options = {
    type: 'Int',
    resolve: () => 1,
    subscribe: async function* () {},
    ...(scopes && { requiredScopes: scopes }),
  };
  const define = (t: { field: (options: object) => unknown }) => t.field(options);
  builder[`${kind}Field`]('answer', define as never);
  if (kind !== 'query') {
    builder.queryField('other', (t) =>
      t.int({ summary: 'Get it', requiredScopes: ['openid'], resolve: () => 1 }),
    );
  }
  return builder.toSchema();
};

describe('a root field', () => {
  it.each<RootKind>(['query', 'mutation', 'subscription'])(
    'of a %s has its required scopes in its extensions',
    (kind) => {
      const scopes: Scope[] = ['openid', 'email'];
      const schema = build(kind, scopes);
      const field = schema.getRootType(kind as OperationTypeNode)?.getFields()['answer'];
      expect(field?.extensions['requiredScopes']).toEqual(scopes);
    },
  );

  it.each<RootKind>(['query', 'mutation', 'subscription'])('of a %s without scopes is not built', (kind) => {
    expect(() => build(kind)).toThrow(/answer declares no required scopes$/);
  });

  it('with an empty list of scopes is not built', () => {
    expect(() => build('query', [])).toThrow('Query.answer declares no required scopes');
  });

  it('does not compile without scopes', () => {
    const builder = createBuilder();
    builder.queryType({
      // @ts-expect-error requiredScopes is missing
      fields: (t) => ({ answer: t.int({ resolve: () => 1 }) }),
    });
    expect(() => builder.toSchema()).toThrow('Query.answer declares no required scopes');
  });
});

describe('a field of another type', () => {
  it('needs no scopes', () => {
    const builder = createBuilder();
    const Thing = builder.objectRef<{ id: number }>('Thing').implement({
      fields: (t) => ({ id: t.exposeInt('id') }),
    });
    builder.queryType({
      fields: (t) => ({
        thing: t.field({
          type: Thing,
          summary: 'Get it',
          requiredScopes: ['openid'],
          resolve: () => ({ id: 1 }),
        }),
      }),
    });
    const type = builder.toSchema().getType('Thing') as GraphQLObjectType;
    expect(type.getFields()['id']?.extensions).not.toHaveProperty('requiredScopes');
  });
});

const tokenWith = (...names: string[]): AccessToken => ({
  issuer: 'https://id.example.com',
  subject: 'alice',
  scopes: new Set(names),
  expiresAt: 1_800_000_000,
});

describe('requireScopes', () => {
  const required = ['openid', 'email', 'profile'];

  it('a token with all required scopes and another → accepted', () => {
    expect(() => requireScopes(required, tokenWith('profile', 'email', 'openid', 'other'))).not.toThrow();
  });

  it('names the missing scopes, and the challenge names all required scopes', () => {
    expect(() => requireScopes(required, tokenWith('email'))).toThrow(
      expect.objectContaining({
        code: 'FORBIDDEN',
        message: 'The access token lacks the scope: openid profile',
        headers: {
          'www-authenticate':
            'Bearer realm="keyward", error="insufficient_scope", scope="openid email profile"',
        },
      }),
    );
  });

  it.each(['open', 'OPENID', 'openid:read', 'openid,'])('does not take %s for openid', (name) => {
    expect(() => requireScopes(['openid'], tokenWith(name))).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN' }),
    );
  });

  it('no token → 401', () => {
    expect(() => requireScopes(required, undefined)).toThrow(
      expect.objectContaining({ code: 'UNAUTHENTICATED', message: 'Not authenticated' }),
    );
  });

  it('no token and no required scope → 401', () => {
    expect(() => requireScopes([], undefined)).toThrow(expect.objectContaining({ code: 'UNAUTHENTICATED' }));
  });
});

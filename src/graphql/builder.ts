import SchemaBuilder from '@pothos/core';
import type { GatewayContext } from './context.ts';
import './require-scopes-plugin.ts';

/** The schema's builder; the slices define on it, `schema.ts` builds. */
export const builder = new SchemaBuilder<{
  Context: GatewayContext;
  Scalars: { DateTime: { Input: Date; Output: Date } };
  DefaultFieldNullability: false;
}>({ plugins: ['requireScopes'], defaultFieldNullability: false });

builder.queryType({ description: 'What can be read.' });
builder.mutationType({ description: 'What can be changed.' });

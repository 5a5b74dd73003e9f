import type { ExecutionResult } from 'graphql';
import type { OperationContext } from '../operations/context.ts';
import { type Outcome, readAnswer } from './answer.ts';
import type { Endpoint } from './endpoints.ts';
import { assertUnchanged, type Conditions, entityTagOf } from './entity-tags.ts';
import type { Sofa } from './sofa.ts';

/** Checks what the caller has, in such a way that it stays so until the transaction ends. */
export type CheckOwned = (
  context: OperationContext,
  changed: Readonly<Record<'accountId' | 'keyId' | 'endpointId', number | undefined>>,
  check: () => Promise<void>,
) => Promise<void>;

/** What is asked before a change, in its own transaction: whether what is changed is still what the caller knows. */
export const createPrecondition =
  ({ operationOf, compiledOf }: Sofa, checkOwned: CheckOwned) =>
  ({ resource }: Endpoint, variables: Outcome['variables'], conditions: Conditions) =>
  async (context: OperationContext): Promise<void> => {
    if (!resource) return;
    const { document } = await operationOf(resource);
    const check = async () => {
      const result: ExecutionResult = (await compiledOf(document)?.(undefined, context, variables)) ?? {};
      if (result.errors?.[0]) throw result.errors[0];
      const { value } = readAnswer(result.data?.[resource.field.name], resource);
      assertUnchanged(conditions, entityTagOf(JSON.stringify(value)));
    };
    const changed = {
      accountId: variables['id'],
      keyId: variables['key_id'],
      endpointId: variables['endpoint_id'],
    };
    await checkOwned(context, changed as Parameters<CheckOwned>[1], check);
  };

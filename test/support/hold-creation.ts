import type { NewApiKey } from '../../src/api-keys/api-key-secret.ts';
import { createApiKey } from '../../src/api-keys/create-api-key.ts';
import type { TestGateway } from './gateway.ts';
import { operationContext } from './operation-context.ts';

/**
 * Begins to make alice's API key "CI" with an `Idempotency-Key`, and holds it before anything is made.
 * @returns makes it, and answers it
 */
export async function holdCreation(gateway: TestGateway, issuer: string, key: string) {
  const { promise: isHeld, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const input = { name: 'CI' };
  const running = gateway.idempotency.runOnce(
    operationContext(gateway, issuer),
    { key, name: 'createApiKey', input },
    async (context) => {
      begin();
      await isHeld;
      return createApiKey(context, input);
    },
  );
  await hasBegun;
  return async (): Promise<NewApiKey> => {
    letGo();
    return (await running).result;
  };
}

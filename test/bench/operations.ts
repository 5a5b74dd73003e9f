import { graphqlOperations } from './graphql-operations.ts';
import type { Operation } from './operation.ts';
import { deactivateOnce, restOperations } from './rest-operations.ts';
import type { World } from './world.ts';

/** All operations. */
export const createOperations = (world: World): readonly Operation[] => [
  ...restOperations(world),
  deactivateOnce(world),
  ...graphqlOperations(world),
];

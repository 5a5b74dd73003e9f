import type { YogaInitialContext } from 'graphql-yoga';
import type { OperationContext } from '../operation.ts';

/** What resolvers are given: an operation's context, within a request. */
export interface GatewayContext extends YogaInitialContext, OperationContext {}

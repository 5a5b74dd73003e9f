import { withApiKey } from '@keyward/node/next';
import { address, describe, keyward } from '../../keyward.ts';

const needs = { permissions: ['documents.read'], address };

export const GET = withApiKey(keyward, needs, (_request, context) => describe(context.keyward));

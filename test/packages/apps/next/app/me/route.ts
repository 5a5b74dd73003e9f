import { withApiKey } from '@keyward/node/next';
import { address, describe, keyward } from '../../keyward.ts';

export const GET = withApiKey(keyward, { address }, (_request, context) => describe(context.keyward));

import { withApiKey } from '@keyward/node/next';
import { address, describe, keyward } from '../../keyward.ts';

export const POST = withApiKey(keyward, { cost: 5, address }, (_request, context) =>
  describe(context.keyward),
);

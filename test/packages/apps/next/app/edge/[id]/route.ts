import { withApiKey } from '@keyward/node/next';
import type { NextRequest } from 'next/server';
import { keyward } from '../../../keyward.ts';

export const runtime = 'edge';

interface Context {
  params: Promise<{ id: string }>;
}

export const GET = withApiKey<Context, NextRequest>(keyward, {}, async (request, { keyward, params }) =>
  Response.json({ user_id: keyward.user_id, path: request.nextUrl.pathname, ...(await params) }),
);

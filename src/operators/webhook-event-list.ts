import { z } from 'zod';
import { webhookPatterns } from '../config/webhook-events.ts';
import { atMost, eachItem, onlyOnce } from '../operations/input.ts';

/** The most patterns of an endpoint. */
const most = 50;

/** Which events an endpoint is told of: types and patterns, each once. */
export const eventList = z
  .array(z.string().meta({ enum: webhookPatterns }))
  .refine((events) => events.length > 0, {
    message: 'Must have at least 1 item.',
    params: { type: 'too_short' },
  })
  .refine(...atMost(most))
  .superRefine(
    eachItem((text) => webhookPatterns.includes(text), {
      message: 'Must be a type of event, or a pattern for some, such as api_key.* or *.',
    }),
  )
  .refine(...onlyOnce)
  .meta({ minItems: 1, maxItems: most, uniqueItems: true });

import fc from 'fast-check';
import { it } from 'vitest';
import type { Failure } from '../../support/quota-nodes.ts';
import {
  expectNoExcess,
  expectNoOtherLoss,
  playSteps,
  type QuotaWorld,
  setUpQuotas,
} from '../../support/quota-world.ts';

setUpQuotas();

const node = fc.nat({ max: 2 });
const units = fc.oneof(fc.nat({ max: 150 }), fc.nat({ max: 3000 }));
const cost = fc.oneof(fc.nat({ max: 2 }), fc.nat({ max: 40 }));
const ask = fc.record({ node, cost, turns: fc.nat({ max: 3 }) });
const steps = (failures: readonly (Failure | undefined)[]) =>
  fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          name: fc.constant('ask' as const),
          asks: fc.array(ask, { minLength: 1, maxLength: 16 }),
        }),
      },
      fc.record({ name: fc.constantFrom('crash' as const, 'giveBack' as const, 'stop' as const), node }),
      fc.record({
        name: fc.constant('fail' as const),
        node,
        failures: fc.array(fc.constantFrom(...failures), { maxLength: 4 }),
      }),
      fc.record({ name: fc.constant('change' as const), units }),
      fc.record({ name: fc.constant('passDay' as const) }),
    ),
    { maxLength: 14, size: 'max' },
  );

const runs = (failures: readonly (Failure | undefined)[], check: (world: QuotaWorld) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(units, fc.constantFrom('never', 'daily'), steps(failures), (first, refill, all) =>
      playSteps(first, refill, all, check),
    ),
    { numRuns: 10 },
  );

it('nodes that share a quota lose only what crashed nodes held, and grant all the rest', () =>
  runs([undefined, 'before'], expectNoOtherLoss));

it('nodes that share a quota never grant more than it has, whatever fails', () =>
  runs([undefined, 'before', 'after'], expectNoExcess));

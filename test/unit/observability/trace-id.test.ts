import { expect, it } from 'vitest';
import { parseTraceId } from '../../../src/http/exchange.ts';

const id = '0af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';

it.each([
  `00-${id}-${span}-01`,
  `00-${id}-${span}-00`,
  `01-${id}-${span}-01`,
  `cc-${id}-${span}-01-what-the-future-brings`,
])('finds the trace id in %s', (header) => {
  expect(parseTraceId(header)).toBe(id);
});

it.each([
  ['no header', undefined],
  ['nothing', ''],
  ['more than version 00 has', `00-${id}-${span}-01-more`],
  ['the version that is none', `ff-${id}-${span}-01`],
  ['no trace', `00-${'0'.repeat(32)}-${span}-01`],
  ['no span', `00-${id}-${'0'.repeat(16)}-01`],
  ['capital letters', `00-${id.toUpperCase()}-${span}-01`],
  ['a trace too short', `00-${id.slice(1)}-${span}-01`],
  ['flags that are none', `00-${id}-${span}-0x`],
  ['flags too long', `01-${id}-${span}-011`],
  ['something before', `x00-${id}-${span}-01`],
  ['a line more', `00-${id}-${span}-01\n`],
])('finds no trace id in a header with %s', (_what, header) => {
  expect(parseTraceId(header)).toBeUndefined();
});

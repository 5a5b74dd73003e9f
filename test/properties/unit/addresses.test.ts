import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalAddress, createAddressTest } from '../../../src/config/values/addresses.ts';
import { clientKeyOf } from '../../../src/http/rate-limits/of-addresses.ts';

const groups = fc.array(fc.constantFrom(0, 0, 0, 1, 0xffff, 0xdb8, 0x2001), { minLength: 8, maxLength: 8 });

/** One of the ways in which an IPv6 address can be written. */
const spell = (parts: readonly number[], pad: boolean, upper: boolean, mixed: boolean, gap: number) => {
  const hex = parts.map((part) => part.toString(16).padStart(pad ? 4 : 1, '0'));
  const [high = 0, low = 0] = parts.slice(6);
  const tail = mixed ? [`${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`] : hex.slice(6);
  const all = [...hex.slice(0, 6), ...tail];
  // `::` for the zeros that begin at the gap.
  let end = gap;
  while (end < (mixed ? 6 : 8) && parts[end] === 0) end += 1;
  const text = end > gap ? `${all.slice(0, gap).join(':')}::${all.slice(end).join(':')}` : all.join(':');
  return upper ? text.toUpperCase() : text;
};

/** Standards' own way of writing it, by another parser; an IPv4 address that is mapped is left as it is. */
const byUrl = (address: string) => new URL(`http://[${address}]`).hostname.slice(1, -1);

describe('an IPv6 address', () => {
  it('is one client and one address in any notation', () => {
    const way = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.integer({ min: 0, max: 8 }));
    const property = fc.property(groups, way, way, (parts, one, another) => {
      const [first, second] = [spell(parts, ...one), spell(parts, ...another)];
      expect([isIP(first), isIP(second)]).toEqual([6, 6]);
      const canonical = canonicalAddress(first);
      expect(canonicalAddress(second)).toBe(canonical);
      expect(canonicalAddress(canonical)).toBe(canonical);
      expect(clientKeyOf(canonical)).toBe(clientKeyOf(canonicalAddress(second)));
      expect(byUrl(isIP(canonical) === 4 ? `::ffff:${canonical}` : canonical)).toBe(byUrl(first));
      expect(createAddressTest([first])(second)).toBe(true);
      expect(createAddressTest([first])(canonical)).toBe(true);
    });
    fc.assert(property, { numRuns: 5000 });
  });

  it('is counted with its own network only', () => {
    const property = fc.property(groups, groups, (one, another) => {
      const keyOf = (parts: readonly number[]) =>
        clientKeyOf(canonicalAddress(spell(parts, false, false, false, 8)));
      const network = (parts: readonly number[]) => parts.slice(0, 4).join();
      // An IPv4 address is one by itself.
      fc.pre(isIP(canonicalAddress(spell(one, false, false, false, 8))) === 6);
      fc.pre(isIP(canonicalAddress(spell(another, false, false, false, 8))) === 6);
      expect(keyOf(one) === keyOf(another)).toBe(network(one) === network(another));
    });
    fc.assert(property, { numRuns: 5000 });
  });
});

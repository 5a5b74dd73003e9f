import { expect, it } from 'vitest';
import { accentsOf, writeAccent } from '../../../src/pages/accent.ts';

/** The relative luminance of a colour (WCAG 2.2). */
const luminance = (hex: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

const hex = (red: number, green: number, blue: number) =>
  `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;

const parts = [0, 51, 102, 153, 204, 255];
const colors = parts.flatMap((red) => parts.flatMap((green) => parts.map((blue) => hex(red, green, blue))));

it('of whatever colour, text can be read on all grounds of the pages (WCAG AA), in both schemes', () => {
  expect(colors).toHaveLength(216);
  for (const color of colors) {
    const { light, dark } = accentsOf(color);
    for (const ground of ['#ffffff', '#f5f8f7', '#f6f8f7', '#ebefee', light.soft])
      expect(contrast(light.accent, ground), `${color}, light, on ${ground}`).toBeGreaterThanOrEqual(4.5);
    for (const ground of ['#141a19', '#1c2423', '#101514', '#232c2a', dark.soft])
      expect(contrast(dark.accent, ground), `${color}, dark, on ${ground}`).toBeGreaterThanOrEqual(4.5);
    expect(contrast(light.onAccent, light.accent), color).toBeGreaterThanOrEqual(4.5);
    expect(contrast(dark.onAccent, dark.accent), color).toBeGreaterThanOrEqual(4.5);
  }
});

it('a colour that can be read is taken as it is', () => {
  expect(accentsOf('#0b5d57').light.accent).toBe('#0b5d57');
  expect(accentsOf('#6fd3c6').dark.accent).toBe('#6fd3c6');
});

it('writes colours alone, for each scheme', () => {
  expect(writeAccent('#7c3aed')).toMatch(
    /^:root:root \{\n( {2}--[a-z-]+: (light-dark\(#[\da-f]{6}, #[\da-f]{6}\)|\d+, \d+%, \d+%);\n){5}\}\n$/,
  );
  expect(writeAccent('#808080')).not.toContain('NaN');
});

import { ColorSpace, contrastWCAG21, HSL, OKLCH, parse, serialize, sRGB, to } from 'colorjs.io/fn';

for (const space of [sRGB, OKLCH, HSL]) ColorSpace.register(space);

/** The least contrast of text with its background (WCAG 2.2, 1.4.3). */
const leastContrast = 4.5;

/** How much lighter or darker a colour becomes in one step, of 1. */
const step = 0.005;

/** The grounds on which the pages write in the accent's colour, besides its own soft ground. See the pages' styles. */
const grounds = { light: ['#ffffff', '#ebefee'], dark: ['#141a19', '#232c2a'] };

const contrast = (one: string, other: string): number => contrastWCAG21(parse(one), parse(other));

/** A colour in OKLCH: perceived lightness from 0 to 1, chroma, and hue in degrees. */
interface Perceived {
  readonly lightness: number;
  readonly chroma: number;
  readonly hue: number;
}

const perceive = (hex: string): Perceived => {
  const [lightness, chroma, hue] = to(parse(hex), OKLCH).coords;
  // A grey has no hue.
  return { lightness: lightness ?? 0, chroma: chroma ?? 0, hue: hue ?? 0 };
};

/** The nearest colour that a screen can show. */
const toHex = ({ lightness, chroma, hue }: Perceived): string =>
  serialize(to({ space: OKLCH, coords: [lightness, chroma, hue], alpha: 1 }, sRGB), {
    format: 'hex',
    collapse: false,
  });

/** The colour that is nearest to the given one and can be read on all grounds: darker, or lighter. */
function readableOn(grounds: readonly string[], color: Perceived, direction: 1 | -1): string {
  for (let { lightness } = color; lightness > 0 && lightness < 1; lightness += direction * step) {
    const hex = toHex({ ...color, lightness });
    if (grounds.every((ground) => contrast(hex, ground) >= leastContrast)) return hex;
  }
  return direction === 1 ? '#ffffff' : '#000000';
}

/** A colour as GraphiQL takes it: hue, saturation and lightness. */
const inHsl = (hex: string): string => {
  const [hue, saturation, lightness] = to(parse(hex), HSL).coords.map((part) => Math.round(part ?? 0));
  return `${hue}, ${saturation}%, ${lightness}%`;
};

/**
 * Makes the colours of the pages from the provider's own, for light and dark pages.
 * @param hex the provider's colour
 * @returns for each scheme: the colour of links, buttons and marks, readable on all grounds of the pages; the colour of
 *   text on it; and a soft ground
 */
export function accentsOf(hex: string) {
  const color = perceive(hex);
  const soft = (lightness: number, mostChroma: number) =>
    toHex({ ...color, lightness, chroma: Math.min(color.chroma, mostChroma) });
  const light = { soft: soft(0.945, 0.025), onAccent: '#ffffff' };
  const dark = { soft: soft(0.29, 0.04), onAccent: soft(0.2, 0.03) };
  return {
    light: { ...light, accent: readableOn([...grounds.light, light.soft], color, -1) },
    dark: { ...dark, accent: readableOn([...grounds.dark, dark.soft], color, 1) },
  };
}

/** Writes the style sheet that gives the pages the provider's colour. It counts whatever comes after it. */
export function writeAccent(hex: string): string {
  const { light, dark } = accentsOf(hex);
  return `:root:root {
  --accent: light-dark(${light.accent}, ${dark.accent});
  --on-accent: light-dark(${light.onAccent}, ${dark.onAccent});
  --accent-soft: light-dark(${light.soft}, ${dark.soft});
  --accent-hsl-light: ${inHsl(light.accent)};
  --accent-hsl-dark: ${inHsl(dark.accent)};
}
`;
}

/** The pages' messages are compiled already: what parses them, three quarters of the library, stays out. */
export const withoutParser = {
  '@formatjs/icu-messageformat-parser': '@formatjs/icu-messageformat-parser/no-parser.js',
};

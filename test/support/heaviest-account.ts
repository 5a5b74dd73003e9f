/** So many texts, each other than the rest. */
const texts = (count: number, of: (nth: string) => string): string[] =>
  Array.from({ length: count }, (_, index) => of(`${index}`.padStart(2, '0')));

/** A text of so many characters, of which JSON writes each with six bytes. */
export const heaviestText = (characters: number): string => '\u0001'.repeat(characters);

/**
 * The columns of the heaviest API key, of some thirteen kilobytes. It is from before its permissions, addresses and
 * metadata were bounded together; a new one has some eight.
 */
export const heaviestParts = {
  name: heaviestText(100),
  description: heaviestText(500),
  permissions: JSON.stringify(texts(50, (nth) => `documents.${nth}.`.padEnd(100, 'x'))),
  metadata: JSON.stringify(
    Object.fromEntries(texts(50, (nth) => `m${nth}`).map((name) => [name, 'y'.repeat(31)])),
  ),
  allowed_addresses: JSON.stringify(texts(50, (nth) => `2001:0db8:1234:5678:9abc:def0:1234:56${nth}/128`)),
};

/** The columns of an audit event that holds as much as the rules allow. */
export const heaviestEvent = {
  action: 'automation-settings-updated',
  actor: 'operator',
  reason: heaviestText(500),
  request: 'r'.repeat(64),
  address: '0000:0000:0000:0000:0000:ffff:255.255.255.255',
  details: JSON.stringify(
    texts(10, (nth) => nth).map((nth) => ({
      field: `allowed_addresses_${nth}`,
      from: 'x'.repeat(638),
      to: 'y'.repeat(638),
    })),
  ),
};

// Writes the types of the pages' messages, so that each use of one is checked: what it needs, by its id.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ArgumentKind, argumentsOf, compileMessage } from '../pages/messages/compile-message.ts';

const folder = join(import.meta.dirname, '../../web/messages');
const typeOf: Readonly<Record<ArgumentKind, string>> = {
  number: 'number',
  text: 'Value',
  tag: 'Tag',
  date: 'never',
  format: 'never',
};

const files = globSync('en/*.json', { cwd: folder }).toSorted();
const messages = files.flatMap((file) =>
  Object.entries<string>(JSON.parse(readFileSync(join(folder, file), 'utf8'))),
);
const lines = messages.map(([id, message]) => {
  const members = [...argumentsOf(compileMessage(message))].map(
    ([name, kind]) => `readonly ${JSON.stringify(name)}: ${typeOf[kind]};`,
  );
  return `  readonly ${JSON.stringify(id)}: {${members.map((member) => ` ${member}`).join('')} };`;
});
mkdirSync(join(folder, 'generated'), { recursive: true });
writeFileSync(
  join(folder, 'generated/messages.d.ts'),
  `import type { Tag, Value } from '../values.ts';

/** What each message needs, by its id. */
export interface Messages {
${lines.join('\n')}
}

/** The id of a message. */
export type MessageId = keyof Messages;
`,
);

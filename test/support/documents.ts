import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentSchema } from '../../src/config/environment.ts';
import { root } from './process.ts';
import { testedElsewhere, unrunBlocks } from './unrun-blocks.ts';

/**
 * How a block of code is held to be true:
 * - `excerpt`: it stands in a file of `examples/` or `deploy/`, which has tests of its own
 * - `configuration`: it assigns variables, with which Keyward starts
 * - `query`: a GraphQL document that the schema allows
 * - `start`: variables and `npm start`: with these, Keyward is started for the document's commands
 * - `run`: shell commands, which succeed when the document's are run from top to bottom
 * - `answer`: what the commands right above it print
 * - `listed`: it is not run here, for a reason in `unrun-blocks.ts`
 * - `none`: nobody knows whether it is true
 */
type Check = 'excerpt' | 'configuration' | 'query' | 'start' | 'run' | 'answer' | 'listed' | 'none';

/** A block of code in a document. */
export interface Block {
  /** Its line in the document, and its first line: enough to find it. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
  readonly check: Check;
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const sources = globSync(['{examples,deploy}/**/*.*', 'compose.yaml', 'Dockerfile'], { cwd: root })
  .filter((path) => !path.endsWith('.md'))
  .map(read);

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Text without its lines' indentation: an excerpt may stand at another depth than its source. */
const unindented = (text: string): string => text.replaceAll(/^[ \t]+/gm, '');

const isExcerpt = (text: string): boolean =>
  sources.some((source) => unindented(source).includes(unindented(text)));

/** Whether a block does nothing but assign variables that Keyward reads. */
function isConfiguration(text: string): boolean {
  const lines = text.replaceAll(/'[^']*'|"[^"]*"/g, '').split('\n');
  const names = lines.map((line) => /^([A-Z_]+)=\S*$/.exec(line)?.[1] ?? line);
  return names.every((name) => name === '' || name.startsWith('#') || name in environmentSchema.shape);
}

/** A start with a file that the project brings. */
const startLine = /^([A-Z_]+_FILE)=(\S+) npm start\n$/;

/** The variables that a document starts Keyward with. */
export function startVariables(blocks: readonly Block[]): Record<string, string> {
  const [, name, path = ''] = startLine.exec(blocks.find(({ check }) => check === 'start')?.text ?? '') ?? [];
  return name ? { [name]: join(root, path) } : {};
}

const answerLanguages = ['json', 'http', 'text'];

/** Whether a block is run by another test, or for a reason by none. */
const isListed = (document: string, text: string): boolean =>
  document in testedElsewhere || firstLine(text) in (unrunBlocks[document] ?? {});

function checkOf(document: string, language: string, text: string, previous: Check | undefined): Check {
  if (isListed(document, text)) return 'listed';
  if (language === 'graphql') return 'query';
  if (language === 'sh' && startLine.test(text)) return 'start';
  if (language === 'sh' || language === 'env') return isConfiguration(text) ? 'configuration' : 'run';
  if (previous === 'run' && answerLanguages.includes(language)) return 'answer';
  return isExcerpt(text) ? 'excerpt' : 'none';
}

const fence = /^(?<indent> *)```(?<language>\w*)\n(?<body>.*?)^\1```$/gms;

/** The blocks of code in a document, from top to bottom. */
function blocksOf(document: string, source: string): Block[] {
  const found = [...source.matchAll(fence)];
  const marks = source.match(/^ *(```|~~~)/gm) ?? [];
  if (marks.length !== 2 * found.length)
    throw new Error(`${document} has a fence that is not closed, or not plain`);
  let previous: Check | undefined;
  return found.map(({ index, groups: { indent = '', language = '', body = '' } = {} }) => {
    const text = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    previous = checkOf(document, language, text, previous);
    const line = source.slice(0, index).split('\n').length;
    return { place: `line ${line}: ${firstLine(text)}`, language, text, check: previous };
  });
}

/** The documents that strangers read, with their blocks of code. */
export const documents = globSync(['*.md', '{docs,examples,deploy}/**/*.md'], { cwd: root })
  .toSorted()
  .map((path) => {
    const source = read(path);
    return { path, source, blocks: blocksOf(path, source) };
  });

// Names each place of a phrase that makes a reader stop. `npm run check` runs it; a text in a test may quote one.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const riddles = /\b(it is to be|from then on|there are none|where it was not|that of which|no more;)/i;
const files = execFileSync('git', ['ls-files', 'src', 'web', 'docs', 'deploy', '*.md'], { encoding: 'utf8' });
const read = files.split('\n').filter((file) => /\.(md|tsx?|yaml)$/.test(file));
for (const file of read)
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries())
    if (riddles.test(line)) {
      process.stderr.write(`${file}:${index + 1}: say "${riddles.exec(line)?.[0]}" in plain English\n`);
      process.exitCode = 1;
    }

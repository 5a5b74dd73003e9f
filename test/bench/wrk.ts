import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rawRequest } from './http.ts';
import type { Load, Target } from './load.ts';
import { runCommand } from './run-command.ts';

/** Whether wrk can be run here. */
export const hasWrk = (): boolean => spawnSync('wrk', ['--version']).error === undefined;

/** wrk's script: sends one request after the other, from any of them on, and prints the counts as JSON in the last line. */
const script = ({ url, requests }: Target) => `
-- JSON's escapes are Lua's as well, so long as all is ASCII.
local requests = {
${requests.map((request) => JSON.stringify(rawRequest(request, new URL(url).host))).join(',\n')}
}
math.randomseed(os.time())
local index = math.random(#requests)
function request()
  index = index % #requests + 1
  return requests[index]
end
function done(summary)
  local errors = summary.errors
  local sum = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('{"requests":%d,"seconds":%f,"errors":%d}\\n',
    summary.requests, summary.duration / 1e6, sum))
end
`;

/** Runs wrk: as many requests as the connections take. */
export async function runWrk(
  target: Target,
  { folder, connections, seconds }: { folder: string; connections: number; seconds: number },
): Promise<Load> {
  const file = join(folder, 'wrk.lua');
  await writeFile(file, script(target));
  // A slow answer is no error: a busy disk may take a while.
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s'];
  const output = await runCommand('wrk', [...options, '-s', file, target.url]);
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '');
}

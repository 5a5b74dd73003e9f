/** The oldest Node that can read Keyward's code, as in package.json. */
const oldestNode = 24;

/**
 * Runs a command. If Node is too old to read it, says so in one line and sets exit code 1.
 * @param load imports the command; whoever calls this may import nothing else, nor use syntax that is newer than Node 14
 */
export async function refuseOldNode(load: () => Promise<unknown>): Promise<void> {
  if (Number.parseInt(process.versions.node, 10) >= oldestNode) {
    await load();
    return;
  }
  process.stderr.write(`Keyward needs Node ${oldestNode} or later. This is Node ${process.versions.node}.\n`);
  process.exitCode = 1;
}

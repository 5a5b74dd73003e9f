import { installPeers } from './install-peers.ts';
import { createOperations } from './operations.ts';
import { type Options, select } from './options.ts';
import { keyward, type Server, serverKinds, startServer } from './servers.ts';
import { describeTiming, measureSideBySide } from './side-by-side.ts';
import { createWorld } from './world.ts';

/** Of 20,000 keys, each is deactivated once: more than a load takes. */
const size = { users: 32, keysEach: 627 };
const tokenCount = 64;

/** Measures Keyward beside its peers. */
export async function measureSpeed({ only, servers: names, timing, connections }: Options): Promise<string> {
  installPeers();
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await createWorld(size, tokenCount));
  const operations = select(createOperations(world), only);
  const servers: Server[] = [];
  for (const kind of select(serverKinds, names && [keyward.name, ...names]))
    servers.push(stack.use(await startServer(kind, world)));
  return `${describeTiming(timing)}

${await measureSideBySide(servers, operations, { folder: world.folder, timing, connections })}`;
}

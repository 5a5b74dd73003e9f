import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * A thread that holds connections which send a byte of a header or a body each second, and begin anew when they are
 * cut. It says `open` when all are there; told anything, it closes them and says how many were cut until then.
 */
const { port, count } = workerData as { readonly port: number; readonly count: number };
const starts = [
  'GET /api/v1/auth/private-key HTTP/1.1\r\nHost: a\r\nX-Slow: ',
  'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n{',
];
const sockets = new Set<Socket>();
let stopped = false;
let cut = 0;

const open = (index: number): void => {
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket);
  socket.on('error', () => {});
  socket.on('connect', () => socket.write(`${starts[index % 2]}`));
  socket.resume().on('close', () => {
    sockets.delete(socket);
    if (stopped) return;
    cut += 1;
    open(index);
  });
};

for (let index = 0; index < count; index += 1) open(index);
const drip = setInterval(() => {
  for (const socket of sockets) socket.write('x');
}, 1000);
parentPort?.once('message', () => {
  stopped = true;
  clearInterval(drip);
  for (const socket of sockets) socket.destroy();
  parentPort?.postMessage(cut);
});
while (sockets.size < count || [...sockets].some(({ connecting }) => connecting)) await delay(10);
parentPort?.postMessage('open');

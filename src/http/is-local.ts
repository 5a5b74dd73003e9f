import type { IncomingMessage } from 'node:http';

/** What proxies add to a request. */
const ofProxies = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

const isLoopbackAddress = (address: string): boolean => /^(::1|(::ffff:)?127\.[\d.]+)$/i.test(address);

const isLoopbackHost = (host: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/i.test(host);

/**
 * Whether somebody on this machine has sent a request. A proxy on this machine sends those of strangers: it is known by
 * what it adds, or by the host that the stranger has asked for.
 */
export const isLocal = ({ socket, headers }: IncomingMessage): boolean =>
  isLoopbackAddress(socket.remoteAddress ?? '') &&
  isLoopbackHost(headers.host ?? '') &&
  !ofProxies.some((name) => name in headers);

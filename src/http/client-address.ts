/** The address of whoever sent a request; a fetch request has no place for it. */
const addresses = new WeakMap<Request, string>();

/** Notes the IP address that a request came from. */
export const noteClientAddress = (request: Request, address: string): void => {
  addresses.set(request, address);
};

/** The IP address that a request came from; null where no server noted it. */
export const clientAddressOf = (request: Request): string | null => addresses.get(request) ?? null;

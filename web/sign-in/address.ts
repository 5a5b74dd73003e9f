// The address of the page. With `?organization=acme` it says for whom the page is used.
import { beginVisit, currentVisit } from './kept-sign-in.ts';
import { settings } from './settings.ts';

/** The parameter that names an organisation. */
const parameter = 'organization';

/** The visit to which the entries of the history belong that this page makes; undefined: there are no organisations. */
let visit = settings.organizations ? currentVisit() : undefined;
let url = location.href;
const guards = new Set<() => boolean>();
const listeners = new Set<() => void>();

const visitOf = (state: unknown): unknown => Object(state).visit;

/** An address without an organisation, and without what follows the view, which is the organisation's too. */
function withoutOrganization(address: string): string {
  const bare = new URL(address);
  if (!bare.searchParams.has(parameter)) return address;
  bare.searchParams.delete(parameter);
  bare.hash = viewIn(bare.hash);
  return bare.href;
}

/** The part of a fragment that names a view: `#keys` of `#keys/355?range=7d`. */
const viewIn = (hash: string): string => hash.split(/[/?]/, 1)[0] ?? '';

/**
 * Takes note of the address. Each entry of the history has the mark of a visit, which ends when the person signs out: an
 * entry of an earlier visit, to which *Back* leads, says nothing more about that person's organisations.
 */
function settle(): void {
  const before = visitOf(history.state);
  if (visit === undefined || before === visit) return;
  const { href } = location;
  history.replaceState({ visit }, '', before === undefined ? href : withoutOrganization(href));
}

const tell = (): void => {
  for (const listener of listeners) listener();
};

const mayLeave = (): boolean => [...guards].every((may) => may());

/** Follows the browser: two events may tell of the same move. */
function follow(): void {
  if (location.href === url) return;
  // Also the entry of a way that is not followed.
  settle();
  if (!mayLeave()) {
    // The way that led here, a link or *Back*, stays in the history.
    history.pushState({ visit }, '', url);
    return;
  }
  url = location.href;
  tell();
}

settle();
url = location.href;
for (const event of ['popstate', 'hashchange']) addEventListener(event, follow);
// A page that the browser kept as it was, with who was signed in then.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && visit !== undefined && currentVisit() !== visit) location.reload();
});

/** The organisation in the address; undefined: the person uses the page for themselves. */
export const organizationIn = (): string | undefined =>
  (settings.organizations && new URLSearchParams(location.search).get(parameter)) || undefined;

/** The address of this page, with its view, for an organisation; undefined: for the person themself. */
export function addressFor(organization: string | undefined): string {
  const next = new URL(location.href);
  next.searchParams.delete(parameter);
  if (organization !== undefined) next.searchParams.set(parameter, organization);
  next.hash = viewIn(next.hash);
  return next.pathname + next.search + next.hash;
}

/** The address of another page, for the same organisation as this one. */
export function addressOf(path: string): string {
  const organization = organizationIn();
  return organization === undefined ? path : `${path}?${new URLSearchParams({ [parameter]: organization })}`;
}

/** Calls a listener after each move that it did not ask for. The function that it returns stops that. */
export function onMove(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Asks before the person leaves the address, until the function that it returns is called.
 * @param may whether the person may leave
 */
export function guardAddress(may: () => boolean): () => void {
  guards.add(may);
  return () => void guards.delete(may);
}

/** Moves to an address, if the person may leave this one. */
export function moveTo(address: string): void {
  if (!mayLeave()) return;
  history.pushState({ visit }, '', address);
  url = location.href;
  tell();
}

/** Changes the address, without an entry in the history. */
export function replaceAddress(address: string): void {
  history.replaceState({ visit }, '', address);
  url = location.href;
}

/** Ends the visit: somebody signs out, or somebody else signs in. */
export function endVisit(): void {
  if (visit === undefined) return;
  visit = beginVisit();
  replaceAddress(withoutOrganization(url));
  tell();
}

import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';

/** The media types of an answer (GraphQL over HTTP, section 4); the first is for clients that do not mind. */
const mediaTypes = ['application/json', 'application/graphql-response+json'] as const;

/** A media type of an answer. */
export type MediaType = (typeof mediaTypes)[number];

/** An entry of an Accept header that is about one of them. */
interface MediaRange {
  readonly type: string;
  readonly weight: number;
  /** Where it stands in the header. */
  readonly position: number;
}

const mediaRange = /(?<=^|,)(\*\/\*|application\/(?:\*|json|graphql-response\+json))((?:;[^,;]*)*)(?=,|$)/g;

/** The weight of an entry, which is 1 unless it says another. */
const weightOf = (parameters: readonly string[]): number => {
  const weight = Number.parseFloat(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1');
  return Number.isNaN(weight) ? 1 : weight;
};

/** Answers are UTF-8: an entry that wants another charset is about none of them. */
const isUtf8 = (parameters: readonly string[]): boolean =>
  parameters.every((each) => !each.startsWith('charset=') || each === 'charset=utf-8');

const parseAccept = (accept: string): MediaRange[] =>
  [...accept.replace(/\s/g, '').toLowerCase().matchAll(mediaRange)].flatMap(
    ({ 1: type = '', 2: rest = '', index: position }) => {
      const parameters = rest.split(';');
      return isUtf8(parameters) ? { type, weight: weightOf(parameters), position } : [];
    },
  );

/** What the ranges say of a media type: the most exact one its weight, the first one its position. */
function preferenceFor(mediaType: MediaType, ranges: readonly MediaRange[]) {
  const named = [mediaType, 'application/*', '*/*'].flatMap(
    (type) => ranges.find((range) => range.type === type) ?? [],
  );
  const position = Math.min(...named.map((range) => range.position));
  return { mediaType, weight: named[0]?.weight ?? 0, position };
}

/** @throws {GatewayError} `NOT_ACCEPTABLE` */
function choose(accept: string): MediaType {
  const ranges = parseAccept(accept);
  const [best] = mediaTypes
    .map((mediaType) => preferenceFor(mediaType, ranges))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.position - b.position);
  if (best) return best.mediaType;
  throw new GatewayError('NOT_ACCEPTABLE', `The answer can be ${mediaTypes.join(' or ')}`);
}

/** What was chosen before: clients send one of a few headers. */
const choices = new LRUCache<string, MediaType>({ max: 100, memoMethod: choose });

/**
 * The media type in which a GraphQL request is to be answered (RFC 9110, section 12.5.1): the one that weighs most; of
 * two that weigh the same, the one that comes first.
 * @param accept the Accept header; null where there is none
 * @throws {GatewayError} `NOT_ACCEPTABLE` where the client takes neither
 */
export const negotiateMediaType = (accept: string | null): MediaType => choices.memo(accept || '*/*');

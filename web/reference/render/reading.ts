import { type Description, nameIn, type Schema } from '../description/openapi.ts';
import { type FoundOperation, findOperation, operationsIn } from '../description/operations.ts';
import type { Condition } from './only.tsx';

/** The operations of a tag. */
export interface Group {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly condition: Condition | undefined;
  readonly operations: readonly FoundOperation[];
}

/** A schema that several operations share. */
export interface SharedSchema {
  readonly name: string;
  readonly schema: Schema;
  readonly condition: Condition | undefined;
}

/** The scopes that exist only if there are operators. */
const operatorScopes = ['keyward.admin', 'keyward.audit'];

/** The lists of scopes with which a token may call an operation. */
export const scopeListsOf = ({ operation }: FoundOperation): readonly (readonly string[])[] =>
  operation.security.flatMap((scheme) => (scheme['OAuth2'] ? [scheme['OAuth2']] : []));

/** Whether only operators and auditors may call an operation, so that it exists only if there are operators. */
const isForOperators = (found: FoundOperation) => {
  const lists = scopeListsOf(found);
  return lists.length > 0 && lists.every((scopes) => operatorScopes.some((scope) => scopes.includes(scope)));
};

/** What a service must have to offer an operation. */
export function conditionOf(found: FoundOperation): Condition | undefined {
  if (isForOperators(found)) return 'operators';
  return found.id === 'reportLeakedKeys' ? 'leak-reports' : undefined;
}

/** The part of an address that names a group. */
const slugOf = (name: string) => name.toLowerCase().replaceAll(' ', '-');

/** The address of a schema within the page. */
export const schemaId = (name: string): string => `schema-${name}`;

/** The operations by their tags, in the order of the tags. */
export const groupsIn = (description: Description): readonly Group[] =>
  description.tags
    .map(({ name, description: about }) => {
      const operations = operationsIn(description).filter(({ operation }) => operation.tags?.includes(name));
      const isWhole = operations.every((found) => conditionOf(found) === 'operators');
      return {
        id: slugOf(name),
        name,
        description: about,
        condition: isWhole ? ('operators' as const) : undefined,
        operations,
      };
    })
    .filter(({ operations }) => operations.length > 0);

/** A webhook: a request that the service sends. */
export interface Webhook extends FoundOperation {
  readonly event: string;
}

/** The webhooks, in the order of the description. */
export const webhooksIn = (description: Description): readonly Webhook[] =>
  Object.entries(description.webhooks).flatMap(([event, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      event,
      ...findOperation(description, event, method, operation),
    })),
  );

/** The names of the schemas that a part of the description refers to, at first or at second hand. */
function namesIn(part: unknown, { components }: Description, found: Set<string>): Set<string> {
  const note = (reference: string) => {
    const name = nameIn(reference);
    if (found.has(name) || !components.schemas[name]) return;
    found.add(name);
    namesIn(components.schemas[name], { components } as Description, found);
  };
  JSON.stringify(part, (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') note(value);
    return value;
  });
  return found;
}

/** The shared schemas. Those that only the operators' operations use exist only for them. */
export function schemasIn(description: Description): readonly SharedSchema[] {
  const always = operationsIn(description).filter((found) => conditionOf(found) !== 'operators');
  const others = [description.webhooks, description.components.responses];
  const used = namesIn([always.map(({ operation }) => operation), others], description, new Set());
  return Object.entries(description.components.schemas).map(([name, schema]) => ({
    name,
    schema,
    condition: used.has(name) ? undefined : 'operators',
  }));
}

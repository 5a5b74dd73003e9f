import {
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  parse,
  print,
} from 'graphql';

/** Numbers that a seed decides (mulberry32). */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `end` - 1. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

/** An operation of a document that was drawn. */
export interface DrawnOperation {
  readonly name: string;
  /** Whether it is a mutation. */
  readonly changes: boolean;
  /** Draws values for its variables: some are left out, some null. */
  readonly variables: (draw: Draw) => Record<string, unknown>;
}

/** What the author of code that reads a document would not think of. */
const names = [
  ...['then', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__', 'prototype', 'data'],
  ...['length', 'name', 'on', 'query', 'fragment', 'a', 'b', 'isEnabled', 'if', 'null', 'true'],
];

/** Root fields that answer the same when they are run again, and arguments to call them with. */
const rootFields: Record<string, readonly string[]> = {
  Query: [
    'apiKey',
    'apiKeys',
    'automationSettings',
    'defaultApiKey',
    'privateKeyStatus',
    '__typename',
    '__type',
  ],
  Mutation: ['deactivateApiKey', 'setDefaultApiKey', 'updateAutomationSettings', '__typename'],
};

/** What changes whenever something is written. */
const volatile = new Set(['updatedAt', 'deactivatedAt']);

type Kind = 'Int' | 'Boolean' | 'String';

const literals: Record<Kind, readonly string[]> = {
  Int: ['1', '2', '1', '2', '3', '60'],
  Boolean: ['true', 'false'],
  String: ['"then"', '"A \\u00e9"', '"""\n  block\n"""'],
};

const values: Record<Kind, readonly unknown[]> = {
  Int: [1, 2, 1, 2, 3, 600],
  Boolean: [true, false],
  String: ['toString', 'Laptop'],
};

interface Variable {
  readonly type: string;
  readonly kind: Kind;
  readonly byDefault: string | undefined;
}

const mayBeLeftOut = ({ type, byDefault }: Variable) => byDefault !== undefined || !type.endsWith('!');

/** The field's own name, without its alias and its arguments. */
const nameIn = (head: string): string => head.replace(/^\w+: /, '').replace(/\(.*$/s, '');

/**
 * Draws a document that a schema allows: nested and shared fragments, several operations, aliases of every name,
 * `@skip` and `@include`, literals, variables, defaults and nulls. What is run again answers the same.
 */
export function drawDocument(schema: GraphQLSchema, draw: Draw) {
  const fragments = new Map<string, { readonly type: string; readonly text: string }>();
  const variables = new Map<string, Variable>();
  /** Type and response key → the field and its arguments, which must be the same wherever they meet. */
  const heads = new Map<string, string>();

  const unused = (taken: ReadonlyMap<string, unknown>): string | undefined =>
    names.filter((name) => !taken.has(name))[draw.below(6)];

  const knownVariable = (kind: Kind, required: boolean): string | undefined => {
    const fits = (each: Variable) => each.kind === kind && (!required || each.type.endsWith('!'));
    return draw.chance(60) ? [...variables].find(([, each]) => fits(each))?.[0] : undefined;
  };

  const newVariable = (kind: Kind, required: boolean): string | undefined => {
    const name = unused(variables);
    const type = required || draw.chance(20) ? `${kind}!` : kind;
    const byDefault = draw.chance(40) ? draw.pick(literals[kind]) : undefined;
    if (name !== undefined) variables.set(name, { type, kind, byDefault });
    return name;
  };

  const variable = (kind: Kind, required: boolean): string => {
    const name = knownVariable(kind, required) ?? newVariable(kind, required);
    return name === undefined ? draw.pick(literals[kind]) : `$${name}`;
  };

  const value = (kind: Kind, required: boolean): string => {
    if (draw.chance(50)) return variable(kind, required);
    return !required && draw.chance(20) ? 'null' : draw.pick(literals[kind]);
  };

  const directives = (): string => {
    if (!draw.chance(25)) return '';
    return ` @${draw.pick(['skip', 'include'])}(if: ${value('Boolean', true)})`;
  };

  const argumentsOf = (type: GraphQLObjectType, field: string): string => {
    if (field === '__type') return `(name: ${draw.pick(['"ApiKey"', '"Nothing"'])})`;
    const given = (type.getFields()[field]?.args ?? [])
      .filter(({ name }) => !['after', 'before', 'last'].includes(name))
      .map(
        ({ name, type: wanted }) => [name, String(wanted).replace('!', '') as Kind, String(wanted)] as const,
      )
      .filter(([, , wanted]) => wanted.endsWith('!') || draw.chance(50))
      .map(([name, kind, wanted]) => `${name}: ${value(kind, wanted.endsWith('!'))}`);
    return given.length > 0 ? `(${given.join(', ')})` : '';
  };

  const typeBehind = (type: GraphQLObjectType, field: string): GraphQLObjectType | undefined => {
    const named = field === '__type' ? schema.getType('__Type') : getNamedType(type.getFields()[field]?.type);
    return isObjectType(named) ? named : undefined;
  };

  const fieldsOf = (type: GraphQLObjectType, depth: number): readonly (string | undefined)[] => {
    const all = rootFields[type.name] ?? Object.keys(type.getFields()).filter((name) => !volatile.has(name));
    return all.filter((name) => depth > 0 || !typeBehind(type, name));
  };

  const headOf = (type: GraphQLObjectType, field: string, alias: string | undefined): string => {
    const key = `${type.name} ${alias ?? field}`;
    const renamed = alias === undefined ? field : `${alias}: ${field}`;
    const head = heads.get(key) ?? renamed + argumentsOf(type, field);
    heads.set(key, head);
    return head;
  };

  const fieldOf = (type: GraphQLObjectType, depth: number): string | undefined => {
    const field = draw.pick(fieldsOf(type, depth));
    if (field === undefined) return undefined;
    const alias = draw.chance(40) ? draw.pick(names) : undefined;
    const head = headOf(type, field, alias);
    const inner = typeBehind(type, nameIn(head));
    if (inner && depth === 0) return undefined;
    return `${head}${directives()}${inner ? ` ${selection(inner, depth - 1)}` : ''}`;
  };

  const spread = (type: GraphQLObjectType, depth: number): string => {
    if (draw.chance(30))
      return `...${draw.chance(50) ? ` on ${type.name}` : ''}${directives()} ${selection(type, depth)}`;
    const known = [...fragments].filter(([, fragment]) => fragment.type === type.name).map(([name]) => name);
    if (known.length > 0 && draw.chance(60)) return `...${draw.pick(known)}${directives()}`;
    const text = selection(type, depth);
    const name = names.filter((each) => each !== 'on' && !fragments.has(each))[draw.below(5)];
    if (name === undefined) return `... ${text}`;
    fragments.set(name, { type: type.name, text });
    return `...${name}${directives()}`;
  };

  function selection(type: GraphQLObjectType, depth: number): string {
    const parts = Array.from({ length: 1 + draw.below(3) }, () =>
      depth > 0 && draw.chance(30) ? spread(type, depth - 1) : (fieldOf(type, depth) ?? '__typename'),
    );
    return `{ ${parts.join(' ')} }`;
  }

  const operations = Array.from({ length: 1 + draw.below(3) }, (_, index) => {
    const isMutation = draw.chance(25);
    const type = schema.getType(isMutation ? 'Mutation' : 'Query') as GraphQLObjectType;
    const name = `${names[draw.below(names.length)]}${index}`;
    return { name, keyword: isMutation ? 'mutation' : 'query', set: selection(type, 3) };
  });

  const fragmentTexts = [...fragments].map(([name, { type, text }]) => `fragment ${name} on ${type} ${text}`);

  /** The variables that an operation reads, in its fragments too. */
  const usedBy = (set: string): string[] => {
    const found = new Set<string>();
    const followed = new Set<string>();
    const read = (text: string): void => {
      for (const [, name = ''] of text.matchAll(/\$(\w+)/g)) found.add(name);
      for (const [, name = ''] of text.matchAll(/\.\.\.(\w+)/g)) {
        if (followed.has(name)) continue;
        followed.add(name);
        read(fragments.get(name)?.text ?? '');
      }
    };
    read(set);
    return [...found];
  };

  const drawValues =
    (used: readonly string[]): DrawnOperation['variables'] =>
    (draw) => {
      const drawn = used.flatMap((name) => {
        const { type, kind, ...rest } = variables.get(name) as Variable;
        if (mayBeLeftOut({ type, kind, ...rest }) && draw.chance(30)) return [];
        if (!type.endsWith('!') && draw.chance(20)) return [[name, null] as const];
        return [[name, draw.pick(values[kind])] as const];
      });
      return Object.fromEntries(drawn);
    };

  const written = operations.map(({ name, keyword, set }) => {
    const used = usedBy(set);
    const declared = used.map((each) => {
      const { type, byDefault } = variables.get(each) as Variable;
      return `$${each}: ${type}${byDefault === undefined ? '' : ` = ${byDefault}`}`;
    });
    const header = declared.length > 0 ? `(${declared.join(', ')})` : '';
    const text = `${keyword} ${name}${header} ${set}`;
    return { name, text, changes: keyword === 'mutation', variables: drawValues(used) };
  });

  return {
    text: print(parse([...written.map(({ text }) => text), ...fragmentTexts].join('\n'))),
    operations: written.map(({ text: _text, ...operation }): DrawnOperation => operation),
  };
}

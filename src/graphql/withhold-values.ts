import { GraphQLError, Kind } from 'graphql';

const { INT, FLOAT, STRING, BOOLEAN, NULL, ENUM, LIST, OBJECT } = Kind;
const literals: ReadonlySet<unknown> = new Set([INT, FLOAT, STRING, BOOLEAN, NULL, ENUM, LIST, OBJECT]);

/** What graphql-js says of a literal before it repeats it. */
const beforeLiteral = /^(Expected value of type "[^"]*"|[\w" ]+ cannot represent [\w -]+ value)/;

/** How graphql-js tells of a token that was not expected; punctuation has no text of its own. */
const foundToken = /\b(Name|Int|Float|String|BlockString|Comment) ".*"/s;

const withheldMessage = ({ message, nodes }: GraphQLError): string => {
  if (message.startsWith('Syntax Error: '))
    return message.replace(foundToken, '$1').replace(/ escape sequence: .*/s, ' escape sequence.');
  if (literals.has(nodes?.[0]?.kind))
    return `${beforeLiteral.exec(message)?.[0] ?? 'This value does not have its type'}.`;
  return message.replace(/^(Variable "\$\w+" got invalid value) .*/s, '$1.');
};

/**
 * What graphql-js says of an input, without the input itself, which may be a secret: it repeats literals, tokens and
 * variables. Where it stands, the error says by its location.
 */
export function withholdValues(error: GraphQLError): GraphQLError {
  const message = withheldMessage(error);
  if (message === error.message) return error;
  const { nodes = null, source = null, positions = null, path = null, originalError = null } = error;
  return new GraphQLError(message, {
    ...{ nodes, source, positions, path, originalError },
    extensions: error.extensions,
  });
}

import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** What an expression of Prometheus asks for. */
export interface PromqlUse {
  /** Each metric that it reads, with the labels that it selects by, and their values where they must be equal. */
  readonly selectors: readonly { readonly metric: string; readonly matchers: readonly Matcher[] }[];
  /** The labels that it groups by. */
  readonly grouping: readonly string[];
}

interface Matcher {
  readonly label: string;
  /** Undefined where it is a pattern. */
  readonly equals: string | undefined;
}

/**
 * Reads an expression with Prometheus' own grammar.
 * @throws {Error} where it is no expression
 */
export function readPromql(expression: string): PromqlUse {
  const textOf = ({ from, to }: SyntaxNode) => expression.slice(from, to);
  const below = (node: SyntaxNode, name: string): SyntaxNode[] => {
    const found: SyntaxNode[] = [];
    node.cursor().iterate((each) => {
      if (each.type.isError) throw new Error(`not PromQL at ${each.from}: ${expression}`);
      if (each.name === name) found.push(each.node);
    });
    return found;
  };
  const top = parser.parse(expression).topNode;
  return {
    selectors: below(top, 'VectorSelector').map((selector) => ({
      metric: selector.getChild('Identifier') ? textOf(selector.getChild('Identifier') as SyntaxNode) : '',
      matchers: below(selector, 'UnquotedLabelMatcher').map((matcher) => {
        const [, label = '', operator, value] =
          /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/s.exec(textOf(matcher)) ?? [];
        return { label, equals: operator === '=' ? value : undefined };
      }),
    })),
    grouping: below(top, 'GroupingLabels').flatMap((labels) => below(labels, 'LabelName').map(textOf)),
  };
}

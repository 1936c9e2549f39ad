import { chainOf, type MemberAccess } from './member-accesses.ts';
import { childrenOf } from './tree-walk.ts';
import type { Comparison, Expression, Node } from './tree.ts';

/** What an ordering compares: a literal, or a column or a member of it; undefined for another expression. */
export type OrderedValue =
  | { readonly constant: 'number' | 'text' }
  | Pick<MemberAccess, 'column' | 'steps'>
  | undefined;

/** A comparison of order, such as `a.b >= 2`. */
export interface Ordering {
  readonly operator: '<' | '<=' | '>' | '>=';
  readonly left: OrderedValue;
  readonly right: OrderedValue;
}

/** The comparisons of order in a template. */
export function orderings(nodes: readonly Node[]): readonly Ordering[] {
  return nodes.flatMap((node) => [...(node.kind === 'compare' ? pairsOf(node) : []), ...orderings(childrenOf(node))]);
}

/** The pairs of a chain of comparisons, such as `1 < a < 3`. */
function pairsOf({ first, rest }: Extract<Expression, { readonly kind: 'compare' }>): readonly Ordering[] {
  return rest.flatMap(({ operator, operand }, index) => {
    const before = rest[index - 1]?.operand ?? first;
    return isOrder(operator) ? { operator, left: valueOf(before), right: valueOf(operand) } : [];
  });
}

function isOrder(operator: Comparison): operator is Ordering['operator'] {
  return operator === '<' || operator === '<=' || operator === '>' || operator === '>=';
}

function valueOf(node: Expression): OrderedValue {
  if (node.kind !== 'const') return chainOf(node);
  if (typeof node.value === 'string') return { constant: 'text' };
  return node.value === null ? undefined : { constant: 'number' };
}

import { isMapping } from '@data-designer/config';
import { Float, stringifyJson } from '@data-designer/core';

/** A tree as JSON text; a number that JSON has no word for becomes null. */
export function printJson(tree: unknown): string {
  return stringifyJson(tree, 1) ?? 'null';
}

/** A tree as YAML in flow style, a member a line; everything that a tree can hold comes back from it. */
export function printFlow(tree: unknown): string {
  if (Array.isArray(tree)) return `[${tree.map(printFlow).join(',\n')}]`;
  if (isMapping(tree)) {
    return `{${Object.entries(tree)
      .map(([key, part]) => `? ${JSON.stringify(key)}\n: ${printFlow(part)}`)
      .join(',\n')}}`;
  }
  if (typeof tree === 'number') return printNumber(tree);
  if (typeof tree === 'bigint' || tree instanceof Float) return String(tree);
  return JSON.stringify(tree) ?? 'null';
}

function printNumber(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  const text = String(value);
  // YAML 1.1 wants a point before an exponent, and a sign in it.
  return text.includes('.') || !text.includes('e') ? text : text.replace('e', '.0e');
}

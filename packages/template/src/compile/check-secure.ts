import { targetNames } from '../syntax/references.ts';
import type { Node, Statement } from '../syntax/tree.ts';
import { childrenOf, complexityOf } from '../syntax/tree-walk.ts';
import { limitFault } from '../fault.ts';
import { refuse } from './context.ts';

const MAX_NODES = 600;
const MAX_DEPTH = 10;
const SMALLER = 'Split it over several columns, or use the run setting jinja_rendering_engine: native.';

/** The statements that secure templates do not have, with a remedy. */
const REFUSED: ReadonlyMap<string, readonly [construct: string, remedy: string]> = new Map([
  ['set', ['{% set name = value %}', 'Use {% with name = value %}...{% endwith %}.']],
  ['macro', ['{% macro %}', 'Write the text where you use it.']],
  ['import', ['{% import %}', 'Write the text where you use it.']],
  ['extends', ['{% extends %}', 'Write the text where you use it.']],
  ['block', ['{% block %}', 'Write the text where you use it.']],
]);

/**
 * Throws `template/refused` for statements and nested loops that the secure mode rules out, and `template/limit` for sizes
 * that the Python tool refuses, if it must accept the template too.
 */
export function checkSecure(tree: readonly Statement[], isPortable: boolean): void {
  const { nodes, depth } = complexityOf(tree);
  if (isPortable && nodes > MAX_NODES) limitFault('nodes of the syntax tree', MAX_NODES, SMALLER);
  if (isPortable && depth > MAX_DEPTH) limitFault('levels of the syntax tree', MAX_DEPTH, SMALLER);
  for (const node of tree) check(node, false);
}

function check(node: Node, inLoop: boolean): void {
  const refused = REFUSED.get(node.kind);
  if (refused !== undefined) refuse(...refused);
  if (namesSelf(node)) refuse("the name 'self'", 'Rename the column.');
  if (node.kind === 'for' && inLoop) refuse('a nested loop', 'Split the template over two columns.');
  if (node.kind === 'for' && node.recursive) refuse('a recursive loop', 'Write one loop per level.');
  for (const child of childrenOf(node)) check(child, inLoop || node.kind === 'for');
}

function namesSelf(node: Node): boolean {
  if (node.kind === 'name') return node.name === 'self';
  return node.kind === 'targets' && targetNames(node).includes('self');
}

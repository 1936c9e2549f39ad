import { DataDesignerError } from '@data-designer/core';
import { targetNames } from '../syntax/references.ts';
import type { Node, Statement } from '../syntax/tree.ts';
import { childrenOf, complexityOf } from '../syntax/tree-walk.ts';
import { refuse } from './context.ts';

const MAX_NODES = 600;
const MAX_DEPTH = 10;

/** The statements that secure templates do not have, with a remedy. */
const REFUSED: ReadonlyMap<string, readonly [construct: string, remedy: string]> = new Map([
  ['set', ['{% set name = value %}', 'Use {% with name = value %}...{% endwith %}.']],
  ['macro', ['{% macro %}', 'Write the text out where it is used.']],
  ['import', ['{% import %}', 'Write the text out where it is used.']],
  ['extends', ['{% extends %}', 'Write the text out where it is used.']],
  ['block', ['{% block %}', 'Write the text out where it is used.']],
]);

/** Throws `template/refused` or `template/limit` for statements, nested loops and sizes that the secure mode rules out. */
export function checkSecure(tree: readonly Statement[]): void {
  const { nodes, depth } = complexityOf(tree);
  if (nodes > MAX_NODES) throw new DataDesignerError('template/limit', { what: 'nodes of its tree', limit: MAX_NODES });
  if (depth > MAX_DEPTH)
    throw new DataDesignerError('template/limit', { what: 'levels of its tree', limit: MAX_DEPTH });
  for (const node of tree) check(node, false);
}

function check(node: Node, inLoop: boolean): void {
  const refused = REFUSED.get(node.kind);
  if (refused !== undefined) refuse(...refused);
  if (namesSelf(node)) refuse("the name 'self'", 'Rename the column.');
  if (node.kind === 'for' && inLoop) refuse('a loop within a loop', 'Split the template over two columns.');
  if (node.kind === 'for' && node.recursive)
    refuse('a recursive loop', 'Write one loop for each level that is needed.');
  for (const child of childrenOf(node)) check(child, inLoop || node.kind === 'for');
}

function namesSelf(node: Node): boolean {
  if (node.kind === 'name') return node.name === 'self';
  return node.kind === 'targets' && targetNames(node).includes('self');
}

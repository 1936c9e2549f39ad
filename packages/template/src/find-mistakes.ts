import { DataDesignerError } from '@data-designer/core';
import { unsupportedFilter } from './compile/unsupported-filter.ts';
import { failureOfFault } from './compile/render-failure.ts';
import type { TemplateMode } from './compile-template.ts';
import { FILTERS, filtersOf } from './filters/filters.ts';
import { TESTS } from './filters/jinja-tests.ts';
import { Fault } from './fault.ts';
import type { ParsedTemplate } from './parse-template.ts';
import type { Arguments, Expression, Node, SourcePosition } from './syntax/tree.ts';
import { childrenOf } from './syntax/tree-walk.ts';
import type { CallArguments } from './value/callable.ts';
import type { Value } from './value/value.ts';

/** A filter or test that fails for every value. */
export interface TemplateMistake {
  readonly failure: DataDesignerError;
  /** Where its name stands. */
  readonly at: SourcePosition | undefined;
  /** Whether every render meets it; a filter that the mode lacks is one also on a branch that may never be taken. */
  readonly isAlways: boolean;
}

/** The nodes whose children are not evaluated in every render. */
const BRANCHES: ReadonlySet<Node['kind']> = new Set(['if', 'conditional', 'and', 'or', 'for', 'macro', 'call-block']);

/**
 * Finds the filters and tests that fail for every value: filters that the mode lacks, wrong numbers of arguments, and paths
 * that `jsonpath` cannot read. Jinja2 reports them only in the render that meets them.
 */
export function findMistakes(parsed: ParsedTemplate, mode: TemplateMode): readonly TemplateMistake[] {
  const found = parsed.tree.flatMap((node) => mistakesIn(node, { mode, isAlways: true }));
  return found.map((mistake) => ({ ...mistake, at: inSource(mistake.at, parsed) }));
}

/** Throws the first mistake that every render meets. */
export function refuseMistakes(parsed: ParsedTemplate, mode: TemplateMode): void {
  const first = findMistakes(parsed, mode).find(({ isAlways }) => isAlways);
  if (first) throw first.failure;
}

/** A position in the source of a template or condition. */
function inSource(at: SourcePosition | undefined, { shift = 0 }: ParsedTemplate): SourcePosition | undefined {
  return at?.line === 1 ? { line: 1, column: at.column - shift } : at;
}

interface Place {
  readonly mode: TemplateMode;
  readonly isAlways: boolean;
}

function mistakesIn(node: Node, place: Place): readonly TemplateMistake[] {
  const failure = failureIn(node, place.mode);
  const at = 'at' in node ? node.at : undefined;
  const own = failure
    ? [{ failure, at, isAlways: place.isAlways || failure.code === 'template/unsupported-filter' }]
    : [];
  const within = BRANCHES.has(node.kind) ? { ...place, isAlways: false } : place;
  return [...own, ...childrenOf(node).flatMap((child) => mistakesIn(child, within))];
}

function failureIn(node: Node, mode: TemplateMode): DataDesignerError | undefined {
  if (node.kind !== 'filter' && node.kind !== 'test') return undefined;
  if (node.kind === 'filter' && !filtersOf(mode).has(node.name)) return unsupportedFilter(node.name, filtersOf(mode));
  const builtin = (node.kind === 'filter' ? FILTERS : TESTS).get(node.name);
  const given = knownArguments(node.given);
  if (!given) return undefined;
  try {
    builtin?.accepts?.(given);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    if (thrown.kind === 'security') return failureOfFault(thrown);
    return new DataDesignerError('template/record', { reason: thrown.message, isEveryRow: true });
  }
}

/** The arguments without their values, unless these are constant; undefined if their number is unknown. */
function knownArguments({ positional, keywords, spread, keywordSpread }: Arguments): CallArguments | undefined {
  if (spread !== undefined || keywordSpread !== undefined) return undefined;
  return {
    positional: positional.map(constantOf),
    keywords: new Map(keywords.map(({ name, value }) => [name, constantOf(value)])),
  };
}

function constantOf(node: Expression): Value {
  return node.kind === 'const' && typeof node.value === 'string' ? node.value : null;
}

/** The position of the first use of a name that a template reads. */
export function positionOfName(parsed: ParsedTemplate, name: string): SourcePosition | undefined {
  const waiting: Node[] = parsed.tree.toReversed();
  for (let node; (node = waiting.pop()) !== undefined;) {
    if (node.kind === 'name' && node.name === name && node.at) return inSource(node.at, parsed);
    waiting.push(...childrenOf(node).toReversed());
  }
  return undefined;
}

import type { Document, Node, YAMLMap } from 'yaml';
import type { TextPosition, Violation } from '@data-designer/core';
import { loadYaml } from './load-yaml.ts';
import { codeFrame, positionAt, type SourceText, type TextPart, textPartOf } from './source-text.ts';
import { partOf, snakeCase } from './spelling.ts';

/** Longer texts are not parsed a second time. */
const MAX_LENGTH = 2 * 1024 * 1024;

/** Only the first mistakes show their lines. */
const MAX_FRAMES = 10;

/**
 * Adds file, line and column to mistakes of a document that was read from a text, or that has parts of one. The text is
 * parsed again for that, so that a valid document costs nothing.
 */
export function locate(violations: readonly Violation[], document: unknown): readonly Violation[] {
  const finders = new Map<SourceText, PositionFinder>();
  const located = violations.map((violation, index) => {
    const part = violation.position ? undefined : textPartAt(document, stepsOf(violation.path));
    if (!part) return violation;
    const { source, steps } = part;
    const find = finders.get(source) ?? positionsIn(source);
    finders.set(source, find);
    const position = find(steps, violation.within);
    if (!position) return violation;
    const frame = source.isPrivate || index >= MAX_FRAMES ? undefined : codeFrame(source.text, position);
    return { ...violation, file: source.path, position, ...(frame === undefined ? {} : { frame }) };
  });
  return eachOnce(located);
}

/** One mistake for each cause: a part of a text that an anchor repeats is named once. */
function eachOnce(violations: readonly Violation[]): readonly Violation[] {
  const seen = new Set<string>();
  return violations.filter(({ file, position, type, level, message }) => {
    if (position === undefined) return true;
    // A change names the part that it belongs to first.
    const cause =
      type === 'changed' ? message.replace(/^(?:column|model|tool config|processor) '[^']*': /, '') : message;
    const key = JSON.stringify([file, position.line, position.column, type, level, cause]);
    return !seen.has(key) && seen.add(key);
  });
}

type Steps = readonly (string | number)[];
type PositionFinder = (steps: Steps, within: TextPosition | undefined) => TextPosition | undefined;

/** The text of the innermost part on a path that was read from one, and the steps to the end of the path there. */
function textPartAt(document: unknown, path: Steps): { source: SourceText; steps: Steps } | undefined {
  let found: { readonly part: TextPart; readonly rest: Steps } | undefined;
  let value = document;
  for (const [index, step] of [...path, ''].entries()) {
    const part = textPartOf(value);
    if (part) found = { part, rest: path.slice(index) };
    value = partOf(value, step);
  }
  return found && { source: found.part.source, steps: [...stepsOf(found.part.path), ...found.rest] };
}

/** Finds the key that a path ends at, or the nearest one above it. Longer texts are not parsed. */
function positionsIn({ text }: SourceText): PositionFinder {
  if (text.length > MAX_LENGTH) return () => undefined;
  const { LineCounter, parseDocument } = loadYaml();
  const lineCounter = new LineCounter();
  const tree = parseDocument(text, {
    schema: 'failsafe',
    uniqueKeys: false,
    logLevel: 'silent',
    prettyErrors: false,
    lineCounter,
  });
  return (steps, within) => {
    const { offset, node } = placeOf(tree, steps);
    const exact = within && offsetWithin(text, node, within);
    return offset === undefined ? undefined : positionAt(text, exact ?? offset);
  };
}

/**
 * The offset in a file of a place in the text of a scalar; undefined if it is not certain. The same word must stand as often
 * in the file as in the text, which escapes and comments may change.
 */
function offsetWithin(file: string, node: unknown, { line, column }: TextPosition): number | undefined {
  if (!loadYaml().isScalar(node) || typeof node.value !== 'string' || !node.range) return undefined;
  const lines = node.value.split('\n');
  const rest = (lines[line - 1] ?? '').slice(column - 1);
  const word = /^[\p{L}\p{N}_]+/u.exec(rest)?.[0] ?? rest.trimEnd();
  if (word === '') return undefined;
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, column - 1);
  const [start, end] = node.range;
  const inText = offsetsOf(word, node.value);
  const inFile = offsetsOf(word, file.slice(start, end));
  const found = inText.length === inFile.length ? inFile[inText.indexOf(before)] : undefined;
  return found === undefined ? undefined : start + found;
}

function offsetsOf(word: string, text: string): readonly number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) offsets.push(at);
  return offsets;
}

/** The steps of a printed path. */
function stepsOf(path: string): (string | number)[] {
  const steps = path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\.?([^.[\]]+)/g);
  return Array.from(steps, ([, index, quoted, key = '']) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? key : String(JSON.parse(quoted));
  });
}

/** The offset of the key that a path ends at, or the nearest one above it, and the value of the whole path. */
function placeOf(
  tree: Document.Parsed,
  steps: Steps,
): { readonly offset: number | undefined; readonly node?: unknown } {
  const { isSeq, isMap, isNode } = loadYaml();
  let node: unknown = tree.contents;
  // A missing key of the whole document is placed at its start.
  let offset: number | undefined = steps.length <= 1 && isNode(node) ? node.range?.[0] : undefined;
  for (const step of steps) {
    node = resolved(node, tree);
    if (typeof step === 'number' && isSeq(node)) {
      node = node.items[step];
      if (!isNode(node)) return { offset };
      offset = node.range?.[0] ?? offset;
    } else if (isMap(node)) {
      const pair = pairOf(node, String(step), tree);
      if (!pair) return { offset };
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else return { offset };
  }
  return { offset, node };
}

function resolved(node: unknown, tree: Document.Parsed): unknown {
  return loadYaml().isAlias(node) ? node.resolve(tree) : node;
}

/** The last pair of a key in either spelling, which counts; else that of a merged mapping. */
function pairOf(map: YAMLMap, name: string, tree: Document.Parsed): { key: Node; value: unknown } | undefined {
  const { isScalar, isMap, isSeq } = loadYaml();
  const named = (key: string) => map.items.findLast((pair) => isScalar(pair.key) && String(pair.key.value) === key);
  const own = named(name) ?? named(snakeCase(name));
  if (own && isScalar(own.key)) return { key: own.key, value: own.value };
  const merged = resolved(named('<<')?.value, tree);
  for (const one of isSeq(merged) ? merged.items : [merged]) {
    const other = resolved(one, tree);
    const found = isMap(other) ? pairOf(other, name, tree) : undefined;
    if (found) return found;
  }
  return undefined;
}

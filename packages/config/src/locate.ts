import type { Document, Node, YAMLMap } from 'yaml';
import type { TextPosition, Violation } from '@data-designer/core';
import { loadYaml } from './load-yaml.ts';
import { codeFrame, positionAt, type SourceText, textOfDocument } from './source-text.ts';

/** Longer texts are not parsed a second time. */
const MAX_LENGTH = 2 * 1024 * 1024;

/** Only the first mistakes show their lines. */
const MAX_FRAMES = 10;

/**
 * Adds file, line and column to mistakes of a document that was read from a text. The text is parsed again for that, so
 * that a valid document costs nothing.
 */
export function locate(violations: readonly Violation[], document: unknown): readonly Violation[] {
  const source = textOfDocument(document);
  if (!source || source.text.length > MAX_LENGTH || violations.length === 0) return violations;
  const positionOf = positionsIn(source);
  return violations.map((violation, index) => {
    const position = violation.position ? undefined : positionOf(violation.path);
    if (!position) return violation;
    const frame = source.isPrivate || index >= MAX_FRAMES ? undefined : codeFrame(source.text, position);
    return { ...violation, file: source.path, position, ...(frame === undefined ? {} : { frame }) };
  });
}

/** Finds the key that a printed path such as `columns[1].prompt` ends at, or the nearest one above it. */
function positionsIn({ text }: SourceText): (path: string) => TextPosition | undefined {
  const { LineCounter, parseDocument } = loadYaml();
  const lineCounter = new LineCounter();
  const tree = parseDocument(text, {
    schema: 'failsafe',
    uniqueKeys: false,
    logLevel: 'silent',
    prettyErrors: false,
    lineCounter,
  });
  return (path) => {
    const offset = offsetOf(tree, stepsOf(path));
    return offset === undefined ? undefined : positionAt(text, offset);
  };
}

/** The steps of a printed path. */
function stepsOf(path: string): (string | number)[] {
  const steps = path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\.?([^.[\]]+)/g);
  return Array.from(steps, ([, index, quoted, key = '']) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? key : String(JSON.parse(quoted));
  });
}

function offsetOf(tree: Document.Parsed, steps: readonly (string | number)[]): number | undefined {
  const { isSeq, isMap, isNode } = loadYaml();
  let node: unknown = tree.contents;
  let offset: number | undefined = steps.length === 0 && isNode(node) ? node.range?.[0] : undefined;
  for (const step of steps) {
    node = resolved(node, tree);
    if (typeof step === 'number' && isSeq(node)) {
      node = node.items[step];
      if (!isNode(node)) return offset;
      offset = node.range?.[0] ?? offset;
    } else if (isMap(node)) {
      const pair = pairOf(node, String(step), tree);
      if (!pair) return offset;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else return offset;
  }
  return offset;
}

function resolved(node: unknown, tree: Document.Parsed): unknown {
  return loadYaml().isAlias(node) ? node.resolve(tree) : node;
}

/** The last pair of a key, which counts; else that of a merged mapping. */
function pairOf(map: YAMLMap, name: string, tree: Document.Parsed): { key: Node; value: unknown } | undefined {
  const { isScalar, isMap, isSeq } = loadYaml();
  const named = (key: string) => map.items.findLast((pair) => isScalar(pair.key) && String(pair.key.value) === key);
  const own = named(name);
  if (own && isScalar(own.key)) return { key: own.key, value: own.value };
  const merged = resolved(named('<<')?.value, tree);
  for (const one of isSeq(merged) ? merged.items : [merged]) {
    const other = resolved(one, tree);
    const found = isMap(other) ? pairOf(other, name, tree) : undefined;
    if (found) return found;
  }
  return undefined;
}

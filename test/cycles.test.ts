import { expect, test } from 'vitest';
import { sourceImports, targetOf } from './import-graph.ts';

/** One circle of imports through a graph, as the files along it; undefined if there is none. */
function circle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      const found = visit(next);
      if (found) return found;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const found = visit(file);
    if (found) return found;
  }
  return undefined;
}

test('there are no import cycles, types included', () => {
  const graph = new Map<string, string[]>();
  for (const one of sourceImports()) {
    const target = targetOf(one);
    if (target !== undefined) graph.set(one.from, [...(graph.get(one.from) ?? []), target]);
  }
  expect(graph.size).toBeGreaterThan(20);
  expect(circle(graph)).toBeUndefined();
});

test('an import cycle is reported with its files', () => {
  expect(
    circle(
      new Map([
        ['a', ['b']],
        ['b', ['c', 'd']],
        ['d', ['b']],
      ]),
    ),
  ).toEqual(['b', 'd', 'b']);
});

import { parseTemplate } from '@data-designer/template';
import { isMapping, type Mapping } from './spelling.ts';

type Path = readonly (string | number)[];

/** Something that this tool takes and the Python tool refuses. */
interface Extension {
  readonly name: string;
  /** The places in a written column where it stands. */
  readonly placesIn: (column: Mapping) => readonly Path[];
  readonly remedy: string;
}

/** The fields of columns that are templates. */
const TEMPLATES: readonly Path[] = [['prompt'], ['system_prompt'], ['expr'], ['skip', 'when']];

/**
 * All that a dataset's declaration may hold beyond what the Python tool knows. A key of our own is optional and has no
 * default, so that it is written, and fingerprinted, only where it was given.
 */
export const EXTENSIONS: readonly Extension[] = [
  {
    name: 'score options as [score, meaning] pairs',
    placesIn: ({ scores }) =>
      listOf(scores).flatMap((score, index) =>
        isMapping(score) && Array.isArray(score.options) ? [['scores', index, 'options']] : [],
      ),
    remedy: 'Write them as a mapping; scores are then text.',
  },
  {
    name: "the template filter 'jsonpath' outside of sampler conditions",
    placesIn: (column) => TEMPLATES.filter((path) => usesJsonpath(at(column, path))),
    remedy: 'Name the members one by one.',
  },
];

/** An extension that a declaration uses, and the path to it. */
interface UsedExtension {
  readonly extension: Extension;
  readonly path: Path;
}

/** The extensions in the columns of a written declaration. */
export function extensionsIn(columns: readonly Mapping[]): UsedExtension[] {
  return columns.flatMap((column, index) =>
    EXTENSIONS.flatMap((extension) =>
      extension.placesIn(column).map((path) => ({ extension, path: ['columns', index, ...path] })),
    ),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => (isMapping(part) ? part[String(step)] : undefined), value);
}

function usesJsonpath(source: unknown): boolean {
  if (typeof source !== 'string' || !source.includes('jsonpath')) return false;
  try {
    return hasFilter(parseTemplate(source).tree, 'jsonpath');
  } catch {
    return false;
  }
}

function hasFilter(node: unknown, name: string): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if ('kind' in node && node.kind === 'filter' && 'name' in node && node.name === name) return true;
  return Object.values(node).some((part) => hasFilter(part, name));
}

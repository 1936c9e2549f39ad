import { parseTemplate } from '@data-designer/template';
import { isMapping } from './spelling.ts';

/** Something that this tool takes and the Python tool refuses. */
interface Extension {
  readonly name: string;
  /** Whether a part of a written declaration is this extension. */
  readonly is: (part: unknown, key: string) => boolean;
  readonly remedy: string;
}

/**
 * All that a dataset's declaration may hold beyond what the Python tool knows. A key of our own is optional and has no
 * default, so that it is written, and fingerprinted, only where it was given.
 */
export const EXTENSIONS: readonly Extension[] = [
  {
    name: 'score options as [score, meaning] pairs',
    is: (part, key) => key === 'options' && Array.isArray(part),
    remedy: 'Write them as a mapping; scores are then text.',
  },
  {
    name: "the template filter 'jsonpath' outside of sampler conditions",
    is: (part, key) => ['prompt', 'system_prompt', 'expr', 'when'].includes(key) && usesJsonpath(part),
    remedy: 'Name the members one by one.',
  },
];

/** An extension that a declaration uses, and the path to it. */
export interface UsedExtension {
  readonly extension: Extension;
  readonly path: readonly (string | number)[];
}

/** The extensions in a written declaration. */
export function extensionsIn(value: unknown, path: readonly (string | number)[] = []): UsedExtension[] {
  const key = String(path.at(-1) ?? '');
  const used = EXTENSIONS.filter(({ is }) => is(value, key)).map((extension) => ({ extension, path }));
  if (Array.isArray(value)) return [...used, ...value.flatMap((part, index) => extensionsIn(part, [...path, index]))];
  if (!isMapping(value)) return used;
  return [...used, ...Object.entries(value).flatMap(([name, part]) => extensionsIn(part, [...path, name]))];
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

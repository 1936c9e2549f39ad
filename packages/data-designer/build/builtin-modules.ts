import type { Plugin, RenderedChunk } from 'rolldown';

const IMPORT = /^import (?:([\w$]+)(?:, )?)?(?:\* as ([\w$]+)|\{ (.+) \})? from "(node:[^"]+)";$/;
const DEFAULT = 'default as ';

/**
 * Takes Node's own modules from `process` in place of imports: for an import Node resolves a name once more, and reads all
 * members of the module, which loads further modules (the Web Cryptography API for `node:crypto`, say).
 */
export const builtinModules: Plugin = {
  name: 'builtin-modules',
  renderChunk(code, chunk, ...[, { chunks }]) {
    // An old Node, whose `process` has no modules, must get as far as the chunk that refuses it: that one is loaded first.
    if (refusesOldNode(chunk)) return null;
    const refusing = Object.values(chunks).find(refusesOldNode)?.fileName;
    if (refusing === undefined) throw new Error('no chunk refuses an old Node');
    const lines = code.split('\n');
    const end = lines.findIndex((line) => !/^(?:import |\/\/|$)/.test(line));
    const head = lines.slice(0, end);
    const imports = head.filter((line) => !IMPORT.test(line));
    const first = imports.filter((line) => line.includes(`"./${refusing}"`));
    const others = imports.filter((line) => !first.includes(line));
    return [...first, ...others, ...head.flatMap(declarationsOf), ...lines.slice(end)].join('\n');
  },
};

function refusesOldNode({ moduleIds }: Pick<RenderedChunk, 'moduleIds'>): boolean {
  return moduleIds.some((id) => id.endsWith('refuse-old-node.ts'));
}

/** Declarations in place of an import of one of Node's modules; none for any other line. */
function declarationsOf(line: string): string[] {
  const [, whole, namespace, names = '', id] = IMPORT.exec(line) ?? [];
  if (id === undefined) return [];
  const members = names === '' ? [] : names.split(', ');
  const defaults = members.filter((name) => name.startsWith(DEFAULT)).map((name) => name.slice(DEFAULT.length));
  const others = members.filter((name) => !name.startsWith(DEFAULT)).map((name) => name.replace(' as ', ': '));
  // A library may import `process` itself.
  const builtin = `globalThis.process.getBuiltinModule("${id}")`;
  const wholes = [whole, namespace, ...defaults].filter((name) => name !== undefined);
  return [
    ...wholes.map((name) => `const ${name} = ${builtin};`),
    ...(others.length > 0 ? [`const { ${others.join(', ')} } = ${builtin};`] : []),
  ];
}

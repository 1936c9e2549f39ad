import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A file of bundled types. */
interface TypeFile {
  readonly path: string;
  readonly text: string;
  /** The text of each declaration, by its name. */
  readonly declared: ReadonlyMap<string, string>;
  /** The names that an importer of the file can use. */
  readonly exported: ReadonlySet<string>;
}

const START = /^(?:export )?(?:declare )?(?:abstract )?(class|function|interface|type|const) ([\w$]+)/gm;

/**
 * Exports every interface and class that the exports of the entries lead to: the compiler names them in the declarations of
 * a program that exports such values. Types that it cannot name it writes in full, which for a config builder never ends.
 */
export function nameTypes(folder: string, files: readonly string[], entries: readonly string[]): void {
  const all = files.map((file) => readTypes(join(folder, file)));
  const isEntry = ({ path }: TypeFile) => entries.includes(basename(path));
  const reached = reachedFrom(all, new Set(all.filter(isEntry).flatMap(({ exported }) => [...exported])));
  const namesOf = ({ declared }: TypeFile) =>
    [...declared].flatMap(([name, text]) => (reached.has(name) && needsName(name, text) ? [name] : []));
  for (const file of all) {
    const own = namesOf(file).filter((name) => !file.exported.has(name));
    const taken = new Set([...file.exported, ...own]);
    const chunks = isEntry(file) ? all.filter((one) => !isEntry(one)) : [];
    const lines = [
      ...exportLine(own),
      ...chunks.flatMap((chunk) => {
        const from = ` from "./${basename(chunk.path).replace('.d.ts', '.js')}"`;
        return exportLine(
          namesOf(chunk).filter((name) => !taken.has(name)),
          from,
        );
      }),
    ];
    writeFileSync(file.path, [file.text.trimEnd(), ...lines, ''].join('\n'));
  }
}

/** Whether the compiler cannot write a type in full: an interface, a class, or a type that contains itself. */
function needsName(name: string, text: string): boolean {
  const isType = new RegExp(`^(?:export )?type ${name} =`).test(text);
  return isType
    ? text.match(/\w+/g)?.filter((word) => word === name).length !== 1
    : /^(?:\w+ )*(?:class|interface) /.test(text);
}

function exportLine(names: readonly string[], from = ''): readonly string[] {
  return names.length === 0 ? [] : [`export type { ${names.toSorted().join(', ')} }${from};`];
}

function readTypes(path: string): TypeFile {
  const text = readFileSync(path, 'utf8');
  const starts = [...text.matchAll(START)];
  const blocks = starts.map(({ 0: head, 2: name = '', index }, position) => {
    const block = text.slice(index, starts[position + 1]?.index);
    return { name, block, isExported: head.startsWith('export ') };
  });
  const declared = Map.groupBy(blocks, ({ name }) => name);
  const listed = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(
    ([, names = '']) => names.match(/[\w$]+(?=,|\s*$)/g) ?? [],
  );
  return {
    path,
    text,
    declared: new Map([...declared].map(([name, same]) => [name, same.map(({ block }) => block).join('\n')])),
    exported: new Set([...listed, ...blocks.filter(({ isExported }) => isExported).map(({ name }) => name)]),
  };
}

/** The names of all declarations that `roots` lead to, other than by the arguments of a constructor. */
function reachedFrom(files: readonly TypeFile[], roots: ReadonlySet<string>): ReadonlySet<string> {
  const reached = new Set(roots);
  // A set also gives what is added while it is read.
  for (const name of reached) {
    const blocks = files.flatMap(
      ({ declared }) => declared.get(name) ?? declared.get(name.replace(/\$\d+$/, '')) ?? [],
    );
    for (const block of blocks) {
      const open = block.replaceAll(/\/\*[\s\S]*?\*\/|^ +(?:private )?constructor\(.*|^export \{.*/gm, '');
      for (const [word] of open.matchAll(/[A-Z][\w$]*/g)) reached.add(word);
    }
  }
  return reached;
}

import { code, page, prose, table } from './markdown.ts';
import { type Declared, exportsOf, readDeclarations } from './declarations.ts';

/** Exports whose members are those of another declaration. */
const IMPLEMENTED_BY: Readonly<Record<string, readonly string[]>> = {
  DataDesignerConfigBuilder: ['ConfigBuilderClass', 'ConfigBuilder'],
};

/** The exports that most programs use. */
const FIRST = [
  'DataDesigner',
  'DataDesignerConfigBuilder',
  'DatasetCreationResults',
  'PreviewResults',
  'DatasetAnalysis',
  'loadDataset',
];

/** The exports of `data-designer`, without those of `data-designer/plugins`. */
export function apiPage(): string {
  const ofPlugins = new Set(exportsOf('plugins'));
  return exportsPage(
    'TypeScript API',
    exportsOf('index').filter((name) => !ofPlugins.has(name)),
    [
      'Import these from `data-designer`. The package also exports everything of [`data-designer/plugins`](./plugins-api).',
      'Methods that fail throw a `DataDesignerError`, or reject with one; its `code` is one of the [error codes](./errors). In the tables of types, `?` marks an optional property.',
    ],
  );
}

/** The exports of `data-designer/plugins`. */
export function pluginsApiPage(): string {
  return exportsPage('Plug-in API', exportsOf('plugins'), [
    'Import these from `data-designer/plugins` in a package of plug-ins: it declares types without loading the engine. `data-designer` exports them too.',
  ]);
}

function exportsPage(title: string, names: readonly string[], intro: readonly string[]): string {
  const declarations = readDeclarations();
  const declared = (name: string): readonly Declared[] => declarations.get(name) ?? [];
  const ordered = [...FIRST.filter((name) => names.includes(name)), ...names.filter((name) => !FIRST.includes(name))];
  const all = ordered.map((name) => ({ name, found: declared(name) }));
  const isValue = ({ found }: (typeof all)[number]): boolean =>
    found.some(({ kind }) => ['class', 'function', 'const'].includes(kind));
  const sections = (chosen: typeof all): string[] =>
    chosen.flatMap(({ name, found }) => section(name, found, declared));
  const shown = [
    ...intro,
    '## Functions and classes',
    ...sections(all.filter(isValue)),
    '## Types',
    ...sections(all.filter((one) => !isValue(one))),
  ];
  const others = namedIn(shown.join('\n'), declarations).map((name) => ({ name, found: declared(name) }));
  const further = [
    '## Other types',
    'The signatures above name these types. The package exports those with members.',
    ...sections(others),
  ];
  return page(title, [...shown, ...(others.length === 0 ? [] : further)]).replaceAll('$1', '');
}

/** The documented types that signatures name and the package does not export, as far as their source helps a reader. */
function namedIn(text: string, declarations: ReadonlyMap<string, readonly Declared[]>): readonly string[] {
  const exported = new Set([...exportsOf('index'), ...exportsOf('plugins')]);
  const names = new Set(
    (text.match(/`[^`]+`|```ts\n[\s\S]*?```/g) ?? []).flatMap((part) => part.match(/\b[A-Z]\w+\b/g) ?? []),
  );
  return [...names].filter((name) => {
    const [first] = declarations.get(name) ?? [];
    return (
      first !== undefined && !exported.has(name) && first.kind !== 'class' && first.doc !== '' && !isDerived(first)
    );
  });
}

/** Whether a type is calculated from other types: its source says little to a reader. */
function isDerived({ signature, members: inner }: Declared): boolean {
  const isForCompiler = inner.some(({ name }) => name === 'config');
  return (
    isForCompiler || /\btypeof |\bkeyof |\bextends [^=]* \? |\bz\.(?:in|out)put|\w+Of<|\['|= \w+ & \w+;/.test(signature)
  );
}

function section(name: string, found: readonly Declared[], declared: (name: string) => readonly Declared[]): string[] {
  const [first] = found;
  if (first === undefined) throw new Error(`the types of the package have no declaration of ${name}`);
  const implemented = IMPLEMENTED_BY[name]?.flatMap(declared);
  const docs = [...new Set(found.map(({ doc }) => doc).filter((doc) => doc !== ''))];
  const shown = implemented === undefined ? found.map(shownSignature).filter((text) => text !== '') : [];
  const owners = implemented ?? (first.kind === 'class' || first.kind === 'interface' ? [first] : []);
  return [
    `### ${code(name)}`,
    ...(implemented?.map(({ doc }) => docProse(doc)).slice(-1) ?? docs.map(docProse)),
    ...shown.map((text) => `\`\`\`ts\n${text}\n\`\`\``),
    ...owners.flatMap((owner) => members({ ...owner, members: withInherited(owner, declared) })),
  ];
}

/** The members of a declaration, those of what it extends included. */
function withInherited(owner: Declared, declared: (name: string) => readonly Declared[]): readonly Declared[] {
  const inherited = basesOf(owner.signature).flatMap(({ base, call }) =>
    call === undefined
      ? declared(base).flatMap((one) => withInherited(one, declared))
      : optionsOf(call, declared('runOptions')),
  );
  const own = new Set(owner.members.map(({ name }) => name));
  return [...owner.members, ...inherited.filter(({ name }) => !own.has(name) && name !== 'constructor')];
}

/** The options of the table of run options that a call takes. */
function optionsOf(call: string, [options]: readonly Declared[]): readonly Declared[] {
  return (options?.members ?? []).flatMap((one) => {
    const [, value = '', calls = ''] = /: RunOption<(.*), ([^>]*)>$/s.exec(one.signature) ?? [];
    return calls.includes(`"${call}"`) ? [{ ...one, signature: `readonly ${one.name}?: ${value}` }] : [];
  });
}

/** The names that a class or an interface extends, with the call of `OptionsOf`; type parameters may extend other names. */
function basesOf(signature: string): readonly { readonly base: string; readonly call?: string }[] {
  let bare = signature.replaceAll(/OptionsOf<['"](\w+)['"]>/g, 'OptionsOf:$1');
  while (/<[^<>]*>/.test(bare)) bare = bare.replaceAll(/<[^<>]*>/g, '');
  const [, list = ''] = / extends (.*?)(?: implements .*)?$/s.exec(bare) ?? [];
  const names = list.match(/[\w$:]+/g) ?? [];
  return names.map((name) => {
    const [base = '', call] = name.split(':');
    return { base, ...(call !== undefined && { call }) };
  });
}

/** The source of a declaration; members of classes and interfaces are shown on their own. */
function shownSignature({ kind, signature, members: inner }: Declared): string {
  return kind === 'interface' && inner.length > 0 && !/<| extends /.test(signature) ? '' : signature;
}

function members(declared: Declared): string[] {
  // A constructor without a comment is not for callers.
  const shown = declared.members.filter(({ name, doc }) => name !== 'constructor' || doc !== '');
  if (declared.kind === 'class' || shown.some(isMethod)) return shown.flatMap(memberSection);
  const rows = shown.map((one) => {
    const [, optional, type = ''] = /^(?:readonly )?[\w$.[\]]+(\??): ([\s\S]*)$/.exec(one.signature) ?? [];
    return [code(`${one.name}${optional ?? ''}`), code(type.replaceAll(/\s+/g, ' ')), docProse(one.doc)];
  });
  return rows.length === 0 ? [] : [table(['Property', 'Type', 'Description'], rows)];
}

function isMethod({ signature }: Declared): boolean {
  return /^[^:?]*\(/.test(signature);
}

function memberSection({ name, doc, signature }: Declared): string[] {
  const title = name === 'constructor' ? 'new' : name.replaceAll(/[[\]]/g, '');
  return [`#### ${code(title)}`, docProse(doc), `\`\`\`ts\n${signature}\n\`\`\``];
}

/** The text of a comment as paragraphs. */
function docProse(doc: string): string {
  return prose(doc.replaceAll(/\n(?!\n|- )/g, ' ').replaceAll(/\{@link (\w+)\}/g, '`$1`'));
}

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DIST = join(import.meta.dirname, '../../../packages/data-designer/dist');

/** A declaration of the package's types, or a member of one. */
export interface Declared {
  readonly kind: 'class' | 'function' | 'interface' | 'type' | 'const' | 'member';
  readonly name: string;
  /** The text of its JSDoc comment; empty without one. */
  readonly doc: string;
  /** Its source, without the body of a class or an interface. */
  readonly signature: string;
  /** The members of a class, an interface or a table, in order. */
  readonly members: readonly Declared[];
}

const HEAD = /^(?:export )?(?:declare )?(?:abstract )?(?<kind>class|function|interface|type|const) (?<name>[\w$]+)/;
const MEMBER = /^(?:static |readonly |get |set |abstract )*(?<name>new (?=\()|constructor|\[?[\w$.]+\]?)/;

/** All declarations of the bundled types, by name; overloads of a function follow each other. */
export function readDeclarations(): ReadonlyMap<string, readonly Declared[]> {
  const declared = globSync('*.d.ts', { cwd: DIST }).flatMap((file) =>
    statementsOf(readFileSync(join(DIST, file), 'utf8').split('\n')).flatMap(({ doc, text }) => topLevel(doc, text)),
  );
  return Map.groupBy(declared, ({ name }) => name);
}

/** The names that an entry of the package exports, in the order of its source file. */
export function exportsOf(entry: 'index' | 'plugins'): readonly string[] {
  const source = readFileSync(join(DIST, `../src/${entry}.ts`), 'utf8').replaceAll(/\/\/.*$/gm, '');
  const lists = [...source.matchAll(/export (?:type )?\{([^}]*)\}/g)];
  return lists.flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== ''),
  );
}

interface Statement {
  readonly doc: string;
  readonly text: string;
}

/** Splits lines of one indentation into statements, each with the comment before it. */
function statementsOf(lines: readonly string[]): Statement[] {
  const statements: Statement[] = [];
  let doc: string[] = [];
  let text: string[] = [];
  let inComment = false;
  for (const line of lines) {
    if (text.length === 0 && (inComment || line.trim().startsWith('/**'))) {
      if (!inComment) doc = [];
      doc.push(line);
      inComment = !line.includes('*/');
      continue;
    }
    if (line.trim() === '' || line.startsWith('//')) continue;
    text.push(line);
    if (!isComplete(text.join('\n'))) continue;
    statements.push({ doc: docText(doc), text: text.join('\n') });
    [doc, text] = [[], []];
  }
  return statements;
}

/** Whether a statement has ended: its brackets are closed, and the last character ends it. */
function isComplete(text: string): boolean {
  const bare = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/'[^']*'|"[^"]*"|`[^`]*`/g, '');
  const open = bare.match(/[([{]/g)?.length ?? 0;
  const closed = bare.match(/[)\]}]/g)?.length ?? 0;
  return open === closed && /[;}]\s*$/.test(bare);
}

function docText(lines: readonly string[]): string {
  const text = lines.map((line) => line.replace(/^\s*(?:\/\*\*|\*\/|\*)\s?/, '').replace(/\s*\*\/$/, ''));
  return text.join('\n').trim();
}

function topLevel(doc: string, text: string): Declared[] {
  const { kind, name } = HEAD.exec(text)?.groups ?? {};
  if (kind === undefined || name === undefined) return [];
  const head = text.replace(/^(?:export )?(?:declare )?/, '');
  const lines = head.split('\n');
  const body = lines.slice(1, -1).map((line) => line.slice(2));
  if (kind !== 'class' && kind !== 'interface') {
    const isTable = lines[0] === `const ${name}: {`;
    const inner = isTable ? statementsOf(body).flatMap(member) : [];
    return [{ kind: kind as Declared['kind'], name, doc, signature: head, members: inner }];
  }
  const signature = (lines[0] ?? '').replace(/ \{\}?$/, '');
  return [{ kind, name, doc, signature, members: statementsOf(body).flatMap(member) }];
}

function member({ doc, text }: Statement): Declared[] {
  const name = MEMBER.exec(text)?.groups?.['name'];
  if (name === undefined || text.startsWith('#') || text.startsWith('private ') || text.startsWith('readonly [ROW]'))
    return [];
  return [{ kind: 'member', name: name.trim(), doc, signature: text.replace(/;$/, ''), members: [] }];
}

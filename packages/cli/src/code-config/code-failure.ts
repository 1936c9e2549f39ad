import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataDesignerError, messageOf } from '@data-designer/core';

/** A position in a file; lines and columns count from 1. */
interface CodePlace {
  /** The absolute path. */
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

interface Told {
  readonly reason: string;
  readonly remedy: string;
  readonly place?: CodePlace | undefined;
}

/** Wraps what a code config threw, or why it could not be imported, as `config/code-failed` with file and line. */
export function codeFailure(path: string, thrown: unknown): DataDesignerError {
  const { reason, remedy, place } = describe(resolve(path), thrown);
  const data = { path, reason: reason.replace(/\.$/, ''), remedy, ...(place && placeData(path, place)) };
  return new DataDesignerError('config/code-failed', data, { cause: thrown });
}

function placeData(path: string, { file, line, column }: CodePlace) {
  const shown = file === resolve(path) ? path : relative(process.cwd(), file);
  return { file: shown, line, ...(column !== undefined && { column }) };
}

const CORRECT = 'Correct the code and start again.';

function describe(file: string, thrown: unknown): Told {
  if (!(thrown instanceof Error)) return { reason: `it threw ${JSON.stringify(thrown)}`, remedy: CORRECT };
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return unstrippedTypes(file, thrown);
  if (code === 'ERR_MODULE_NOT_FOUND') return missingImport(file, thrown);
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    const remedy = 'Node only removes types; use JavaScript in place of enums, namespaces and parameter properties.';
    return { reason: thrown.message, remedy, place: placeInHeader(thrown) };
  }
  if (thrown instanceof SyntaxError) return syntaxMistake(file, thrown);
  const { cause } = thrown;
  const because = cause === undefined ? '' : ` (cause: ${messageOf(cause)})`;
  const reason = `it threw ${thrown.name}: ${thrown.message}${because}`;
  return { reason, remedy: CORRECT, place: placeInStack(thrown, file) };
}

/** The first Node that removes types without a flag. */
const STRIPS_TYPES = '22.18';

function unstrippedTypes(file: string, thrown: Error): Told {
  const [, suffix = ''] = /extension "([^"]+)"/.exec(thrown.message) ?? [];
  const reason = `Node ${process.versions.node} cannot run ${suffix} files`;
  const flag = 'NODE_OPTIONS=--experimental-strip-types';
  const remedy = `Use Node ${STRIPS_TYPES} or newer, set ${flag}, or write ${basename(file)} in JavaScript (.mjs).`;
  return { reason, remedy };
}

function missingImport(file: string, thrown: Error): Told {
  const [, kind, name = '', importer = file] =
    /^Cannot find (package|module) '([^']+)' imported from (.+)$/.exec(thrown.message) ?? [];
  const from = importer.startsWith('file:') ? fileURLToPath(importer) : importer;
  if (kind !== 'package') {
    const shown = relative(process.cwd(), name);
    const remedy = 'Correct the path; it needs the suffix of the file, such as .ts.';
    return { reason: `it imports ${shown}, which does not exist`, remedy, place: placeOfText(from, basename(name)) };
  }
  const remedy = `Install it next to the config: npm install ${name}`;
  return { reason: `it imports the package '${name}', which is not installed`, remedy, place: placeOfText(from, name) };
}

function syntaxMistake(file: string, thrown: Error): Told {
  const place = placeInHeader(thrown) ?? checkedPlace(file);
  const reason = `syntax error: ${thrown.message}`;
  if (!/Cannot use import statement|Unexpected token 'export'/.test(thrown.message)) {
    return { reason, remedy: CORRECT, place };
  }
  const module = basename(place?.file ?? file).replace(/\.([jt]s)$/, '.m$1');
  const remedy = `The nearest package.json makes it CommonJS: set "type": "module" there, or name the file ${module}.`;
  return { reason, remedy, place };
}

/** The place at the head of a syntax error's stack: `/path/file.ts:2`, the line, and a mark under it. */
function placeInHeader({ stack = '' }: Error): CodePlace | undefined {
  const [, address = '', line = ''] = /^(\S.*):(\d+)\n/.exec(stack) ?? [];
  if (address === '') return undefined;
  const [, , mark = ''] = stack.split('\n', 3);
  const column = mark.indexOf('^') + 1;
  const file = address.startsWith('file:') ? fileURLToPath(address) : address;
  return { file, line: Number(line), ...(column > 0 && { column }) };
}

/** Node tells the place of a syntax error in a module only where it ends a process. */
function checkedPlace(file: string): CodePlace | undefined {
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: 10_000 });
  return placeInHeader({ name: '', message: '', stack: stderr });
}

/** The folder of this program, whose own frames say nothing about the user's code. */
const OWN_FOLDER = import.meta.dirname;

/** The first place in a stack that is in the user's code. */
function placeInStack({ stack = '' }: Error, config: string): CodePlace | undefined {
  const frames = [...stack.matchAll(/^ +at .*?\(?(file:\/\/[^\s()]+|\/[^()]+|[A-Za-z]:\\[^()]+):(\d+):(\d+)\)?$/gm)];
  const places = frames.map(([, address = '', line, column]) => {
    const file = address.startsWith('file:') ? fileURLToPath(address) : address;
    return { file, line: Number(line), column: Number(column) };
  });
  const isUsers = ({ file }: CodePlace): boolean =>
    !file.includes('node_modules') && (file === config || !file.startsWith(OWN_FOLDER));
  return places.find(isUsers);
}

/** The first quoted text that ends so. */
function placeOfText(file: string, text: string): CodePlace | undefined {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    const index = lines.findIndex((line) => [`${text}'`, `${text}"`].some((quoted) => line.includes(quoted)));
    return index === -1 ? undefined : { file, line: index + 1 };
  } catch {
    return undefined;
  }
}

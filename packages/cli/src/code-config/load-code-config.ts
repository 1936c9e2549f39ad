import { statSync } from 'node:fs';
import { Console } from 'node:console';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DataDesignerError, fileReason, isFields } from '@data-designer/core';
import { type FunctionToolProvider, toolsIn } from '@data-designer/mcp';
import type { Declaration } from '@data-designer/declaration';
import { codeFailure } from './code-failure.ts';

/** The config of a command. */
export interface CommandConfig extends Declaration {
  /** The tools that a code config exports. */
  readonly functions?: FunctionToolProvider;
}

/**
 * Loads a config that is a program: its default export is a builder, or a function that returns one. Tools among its other
 * exports are those of the provider `functions`. Throws `config/code-failed`, and `config/unreadable` for a missing file.
 */
export async function loadCodeConfig(path: string, args: readonly string[]): Promise<CommandConfig> {
  requireFile(path);
  printToStandardError();
  const exports = await imported(path);
  const builder = await builderOf(exports, { path, args });
  const { document, spelling = 'snake', origin = 'local' } = builder;
  const tools = toolsIn(Object.fromEntries(Object.entries(exports).filter(([name]) => name !== 'default')));
  const { readResource } = exports;
  const resources =
    typeof readResource === 'function' ? { readResource: readResource as (uri: string) => unknown } : {};
  return {
    document,
    spelling,
    origin,
    source: path,
    ...(tools.length > 0 && { functions: { name: 'functions', providerType: 'local', tools, ...resources } }),
  };
}

function requireFile(path: string): void {
  let reason = 'it is not a file';
  try {
    if (statSync(path).isFile()) return;
  } catch (thrown) {
    reason = fileReason(thrown);
  }
  throw new DataDesignerError('config/unreadable', { path, reason });
}

/** The output of the user's code must not mix with the output of the command. */
function printToStandardError(): void {
  globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });
}

type Exports = Readonly<Record<string, unknown>>;

async function imported(path: string): Promise<Exports> {
  using _ = withoutModuleWarnings();
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as Exports;
  } catch (thrown) {
    throw codeFailure(path, thrown);
  }
}

/** The builder of a config's default export; checked by its members, as it may come from another copy of this package. */
async function builderOf(
  exports: Exports,
  { path, args }: { readonly path: string; readonly args: readonly string[] },
): Promise<Pick<CommandConfig, 'document' | 'spelling' | 'origin'>> {
  const remedy = 'Export a DataDesignerConfigBuilder, or a function that returns one, as default.';
  const refuse = (reason: string) => new DataDesignerError('config/code-failed', { path, reason, remedy });
  if (!('default' in exports)) throw refuse('it has no default export');
  const exported = exports.default;
  const isMaker = typeof exported === 'function';
  const built = isMaker ? await called(exported as Maker, { path, args }) : await exported;
  if (isBuilder(built)) return built;
  throw refuse(`its default export ${isMaker ? 'returned' : 'is'} ${kindOf(built)}, not a config builder`);
}

type Maker = (args: readonly string[]) => unknown;

async function called(make: Maker, { path, args }: { readonly path: string; readonly args: readonly string[] }) {
  try {
    return await make([...args]);
  } catch (thrown) {
    throw codeFailure(path, thrown);
  }
}

function isBuilder(value: unknown): value is Pick<CommandConfig, 'document' | 'spelling' | 'origin'> {
  return isFields(value) && 'document' in value && value.spelling === 'camel';
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const { name } = (Object.getPrototypeOf(value) as object | null)?.constructor ?? Object;
  return name === 'Object' ? 'a plain object' : `a value of the class ${name}`;
}

/** Warnings of Node on how it loads the file, which the user of a config need not act on. */
const MODULE_WARNINGS = /Type Stripping is|To load an ES module|Failed to load the ES module|Module type of/;

/** Hides these warnings until it is disposed of. */
function withoutModuleWarnings(): Disposable {
  const before = Object.getOwnPropertyDescriptor(process, 'emitWarning') ?? {};
  const emit = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!MODULE_WARNINGS.test(String(warning))) emit(warning, ...rest);
  };
  return { [Symbol.dispose]: () => void Object.defineProperty(process, 'emitWarning', before) };
}

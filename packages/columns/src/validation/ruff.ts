import { createRequire } from 'node:module';

type Ruff = typeof import('@astral-sh/ruff-wasm-nodejs');

/** A message of ruff; rows and columns count from 1, in characters. */
export interface RuffDiagnostic {
  /** The rule; null for syntax errors. */
  readonly code: string | null;
  readonly message: string;
  readonly start_location: { readonly row: number; readonly column: number };
}

/** The used functions of ruff. */
export interface RuffWorkspace {
  readonly check: (code: string) => readonly RuffDiagnostic[];
  /** The tokens as text, one per line. */
  readonly tokens: (code: string) => string;
}

const RUFF = '@astral-sh/ruff-wasm-nodejs';

/** NeMo Data Designer's rules, and the last Python version in which `except A, e:` is a syntax error. */
const OPTIONS = {
  'target-version': 'py313',
  lint: { select: ['E', 'F6', 'F7', 'F8', 'SIM', 'PLC', 'PLE', 'PLR', 'PLW'] },
} as const;

const load = createRequire(import.meta.url);

let workspace: RuffWorkspace | undefined;

/** Calls this thread's ruff; a crash, as on deeply nested code, discards ruff with its memory and is rethrown. */
export function withRuff<Result>(use: (ruff: RuffWorkspace) => Result): Result {
  workspace ??= openWorkspace();
  try {
    return use(workspace);
  } catch (thrown) {
    workspace = undefined;
    // The module holds its instance: only a reload creates another.
    delete load.cache[load.resolve(RUFF)];
    throw thrown;
  }
}

function openWorkspace(): RuffWorkspace {
  const { Workspace, PositionEncoding } = load(RUFF) as Ruff;
  return new Workspace(OPTIONS, PositionEncoding.Utf32);
}

import { createRequire } from 'node:module';

type Ruff = typeof import('@astral-sh/ruff-wasm-nodejs');

/** One thing that ruff has to say; places count from 1, in characters. */
export interface RuffDiagnostic {
  /** The rule; null where there is none. */
  readonly code: string | null;
  readonly message: string;
  readonly start_location: { readonly row: number; readonly column: number };
}

/** What is asked of ruff. */
export interface RuffWorkspace {
  readonly check: (code: string) => readonly RuffDiagnostic[];
  /** The tokens as text, one a line. */
  readonly tokens: (code: string) => string;
}

const RUFF = '@astral-sh/ruff-wasm-nodejs';

/** As NeMo Data Designer has them; and the youngest Python in which the comma of `except A, e:` is still a mistake. */
const OPTIONS = {
  'target-version': 'py313',
  lint: { select: ['E', 'F6', 'F7', 'F8', 'SIM', 'PLC', 'PLE', 'PLR', 'PLW'] },
} as const;

const load = createRequire(import.meta.url);

let workspace: RuffWorkspace | undefined;

/**
 * Does something with this thread's ruff, which is loaded by the first. One that breaks, as it does where code is nested
 * too deeply for its stack, is thrown away with its memory; the failure is thrown on.
 */
export function withRuff<Result>(use: (ruff: RuffWorkspace) => Result): Result {
  workspace ??= openWorkspace();
  try {
    return use(workspace);
  } catch (thrown) {
    workspace = undefined;
    // The module holds its instance: only one that is loaded anew has another.
    delete load.cache[load.resolve(RUFF)];
    throw thrown;
  }
}

function openWorkspace(): RuffWorkspace {
  const { Workspace, PositionEncoding } = load(RUFF) as Ruff;
  return new Workspace(OPTIONS, PositionEncoding.Utf32);
}

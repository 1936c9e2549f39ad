import type { CellValue, Row } from '@data-designer/core';

/** A command that runs a program, as a provider declares it. */
interface Command {
  readonly language: string;
  readonly program: string;
  readonly args: readonly string[];
  /** All variables that it has. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** One run, in state that no other run has used; Python's runs of one check share their interpreter. */
export interface Run {
  /** Scripts that run one after the other in the same state. The value of a database is the rows of the last one. */
  readonly scripts: readonly string[];
  /** The text that the program reads; empty unless given. */
  readonly input?: string | undefined;
  /** A function of the scripts that is called after them; its result is the value. */
  readonly call?: { readonly name: string; readonly args: readonly CellValue[] } | undefined;
  /** The rows of tables that queries find, by name. */
  readonly tables?: Readonly<Record<string, readonly Row[]>> | undefined;
  /** What runs it in place of an interpreter; only for the engine of commands. */
  readonly command?: Command | undefined;
}

/** What each run may use. */
export interface RunLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** Bytes of what it prints, and of its value as JSON. */
  readonly outputBytes: number;
}

/** A failed run. */
export interface RunFailure {
  /** Its own error, a limit that it reached, a sandbox that ended without an answer, or a command that does not start. */
  readonly kind: 'exception' | 'timeout' | 'memory' | 'output' | 'sandbox' | 'unusable';
  readonly message: string;
}

/** A run that has ended. */
export interface Ran {
  /** Null if it reached its end. */
  readonly failure: RunFailure | null;
  /** What it printed. */
  readonly output: string;
  /** The result of its call, or the rows of its last query; null without one. */
  readonly value: CellValue;
  /** The time of the run in milliseconds. */
  readonly ms: number;
  /** The bytes that it held; null where the engine does not tell. */
  readonly memoryBytes: number | null;
}

/** The runs of one program. */
export interface Check {
  readonly runs: readonly Run[];
  readonly limits: RunLimits;
}

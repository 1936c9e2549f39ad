import { clusterErrors } from './errors/cluster-errors.ts';
import { columnErrors } from './errors/column-errors.ts';
import { configErrors } from './errors/config-errors.ts';
import { datasetErrors } from './errors/dataset-errors.ts';
import { modelErrors } from './errors/model-errors.ts';
import { runErrors } from './errors/run-errors.ts';
import { sourceErrors } from './errors/source-errors.ts';
import type { Failure } from './errors/failure.ts';

/** Every failure of the project by code, with its message: what failed, where, and what to do. */
const FAILURES = {
  ...configErrors,
  ...columnErrors,
  ...modelErrors,
  ...sourceErrors,
  ...runErrors,
  ...datasetErrors,
  ...clusterErrors,
};

/** The code of a failure: `<area>/<what-happened>`. */
export type FailureCode = keyof typeof FAILURES;

/** The codes of all failures. */
export const FAILURE_CODES = Object.keys(FAILURES) as readonly FailureCode[];

/** The particulars of a failure, by its code. */
export type FailureData<Code extends FailureCode> = Parameters<(typeof FAILURES)[Code]['say']>[0];

/** A failure as plain data: class and properties of an error do not survive a thread boundary. */
export interface WireFailure {
  /** The error code. */
  readonly code: FailureCode;
  /** The message. */
  readonly message: string;
  /** The particulars of the error. */
  readonly data: unknown;
}

/** The error that every function of the package throws. `code` names the failure, and `data` has its particulars. */
export class DataDesignerError<Code extends FailureCode = FailureCode> extends Error {
  /** The name of the class. */
  override readonly name = 'DataDesignerError';
  /** The error code, such as `config/invalid`. */
  readonly code: Code;
  /** The particulars of the error; their shape depends on `code`. */
  readonly data: FailureData<Code>;

  constructor(code: Code, data: FailureData<Code>, options?: ErrorOptions) {
    super(printTurn(data) + (FAILURES[code].say as (data: FailureData<Code>) => string)(data), options);
    this.code = code;
    this.data = data;
  }

  /**
   * Wraps any thrown value: a `DataDesignerError` stays as it is, anything else becomes `internal/unexpected`. If closing
   * a resource failed after an earlier failure, the earlier one counts.
   */
  static fromUnknown(thrown: unknown): DataDesignerError {
    if (thrown instanceof DataDesignerError) return thrown;
    if (isSuppressing(thrown)) return DataDesignerError.fromUnknown(thrown.suppressed);
    return new DataDesignerError('internal/unexpected', { reason: messageOf(thrown) }, { cause: thrown });
  }

  /** The same failure with the turn of the conversation that it ended. */
  inTurn(turn: FailedTurn): DataDesignerError<Code> {
    return new DataDesignerError(this.code, { ...(this.data as object), turn } as never, { cause: this });
  }

  /** Makes the error again from plain data. */
  static fromWire(wire: WireFailure): DataDesignerError {
    return new DataDesignerError(wire.code, wire.data as never);
  }

  /** Returns the error as plain data, for another thread or a JSON file. */
  toWire(): WireFailure {
    return { code: this.code, message: this.message, data: this.data };
  }
}

/** The turn of a conversation that a failure ended, counted from 1. */
export interface FailedTurn {
  /** Whose message failed. */
  readonly side: 'user' | 'assistant';
  /** The number of the turn, from 1. */
  readonly turn: number;
}

function printTurn(data: unknown): string {
  const { turn } = Object(data) as { readonly turn?: FailedTurn };
  return typeof turn === 'object' ? `Turn ${turn.turn} of the ${turn.side}: ` : '';
}

/** The message of a thrown value, which need not be an `Error`. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Compares the name: Node before 24 lacks the class, and the compiler's substitute is used there. */
function isSuppressing(thrown: unknown): thrown is { readonly suppressed: unknown } {
  return thrown instanceof Error && thrown.name === 'SuppressedError' && 'suppressed' in thrown;
}

/** Whether a retry after a failure of this code may succeed. */
export function isRetryable(code: FailureCode): boolean {
  return FAILURES[code].retryable;
}

/** Whether a row with this code is a candidate that a selection refused. */
export function isRefusal(code: FailureCode): boolean {
  return code.startsWith('select/');
}

/** Whether the journal records a cell that fails with this code. */
export function isRecorded(code: FailureCode): boolean {
  const failure: Failure<never> = FAILURES[code];
  return failure.recorded === true;
}

/** Whether a thrown value is a failure of this code. */
export function isFailure<Code extends FailureCode>(thrown: unknown, code: Code): thrown is DataDesignerError<Code> {
  return thrown instanceof DataDesignerError && thrown.code === code;
}

/** Whether every other request to the same model would fail the same way. */
export function isForAll({ data }: DataDesignerError): boolean {
  return 'forAll' in data && data.forAll;
}

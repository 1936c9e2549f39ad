import {
  type DataDesignerError,
  type FailureCode,
  isFailure,
  printViolation,
  unreadableRemedy,
  type Violation,
} from '@data-designer/core';

/** A mistake of a file as JSON output has it; what is unknown is null. */
export interface ReportedViolation extends Pick<Violation, 'stage' | 'type' | 'level' | 'path' | 'message' | 'remedy'> {
  /** The file or the address of the mistake. */
  readonly file: string | null;
  /** The line of the key in the file, counted from 1. */
  readonly line: number | null;
  /** The column of the key in that line, counted from 1. */
  readonly column: number | null;
  /** The dataset column that the mistake belongs to. */
  readonly columnName: string | null;
  /** The lines of the file around the place, for a terminal. */
  readonly frame: string | null;
}

/** A failure as JSON output has it. */
export interface FailureReport {
  readonly code: FailureCode;
  readonly message: string;
  readonly data: unknown;
  /** The mistakes of a config or another file; empty for other failures. */
  readonly violations: readonly ReportedViolation[];
}

/** A failure for JSON output. */
export function failureReport(failure: DataDesignerError): FailureReport {
  const { code, message, data } = failure;
  if (isFailure(failure, 'config/invalid')) {
    const { source, violations } = failure.data;
    const [headline = message] = message.split(':\n', 1);
    return {
      code,
      message: `${headline}.`,
      data: { source },
      violations: violations.map((one) => reportedViolation(one, source)),
    };
  }
  if (isFailure(failure, 'config/unreadable')) return { code, message, data, violations: [unreadable(failure)] };
  if (isFailure(failure, 'dataset/incompatible')) {
    const { changes = [], ...rest } = failure.data;
    const [headline = message] = message.split('\n', 1);
    return { code, message: headline, data: rest, violations: changes.map((change) => reportedViolation(change)) };
  }
  if (isFailure(failure, 'config/code-failed')) return { code, message, data, violations: [codeFailed(failure)] };
  return { code, message, data, violations: [] };
}

/** A mistake for JSON output. One of a whole document belongs to its source. */
export function reportedViolation(violation: Violation, source?: string): ReportedViolation {
  const { stage, type, level, path, position, column: columnName = null, message, remedy } = violation;
  const { line = null, column = null } = position ?? {};
  const { file = path === '' ? (source ?? null) : null, frame = null } = violation;
  return { stage, type, level, file, path, line, column, columnName, message, remedy, frame };
}

/** A file that cannot be read, as one mistake of the whole file. */
function unreadable({ data }: DataDesignerError<'config/unreadable'>): ReportedViolation {
  const { path: file, reason, position, frame } = data;
  const remedy = unreadableRemedy(data);
  const told = { file, path: '', message: `${reason}.`, remedy, ...(frame !== undefined && { frame }) };
  return reportedViolation({
    stage: 'load',
    type: 'config/unreadable',
    level: 'ERROR',
    ...told,
    ...(position && { position }),
  });
}

/** A code config that cannot be loaded, as one mistake. */
function codeFailed({ data }: DataDesignerError<'config/code-failed'>): ReportedViolation {
  const { path, file = path, reason, remedy, line, column } = data;
  const told = { file, path: '', message: `${reason}.`, remedy };
  const place = line !== undefined && column !== undefined ? { position: { line, column } } : {};
  return reportedViolation({ stage: 'load', type: 'config/code-failed', level: 'ERROR', ...told, ...place });
}

/** A reported mistake as text. */
export function printReported({ line, column, file, frame, path, message, remedy }: ReportedViolation): string {
  const place = file !== null && line !== null && column !== null ? { file, position: { line, column } } : {};
  return printViolation({ path, message, remedy, ...place, ...(frame === null ? {} : { frame }) });
}

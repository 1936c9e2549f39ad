import { failedPart, isRefusal, printViolation, type Violation } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';

/** Warns a program that takes no events: of a folder that is not the requested one, of lost rows, and of an early end. */
export function warnProgram(event: RunEvent): void {
  if (event.type === 'folder-divert') {
    void import('@data-designer/printing').then(({ describeFolderDivert }) =>
      warn(event.type, describeFolderDivert(event, "pass resume: 'always'")),
    );
  } else if (event.type === 'run-end') {
    warnOfEnd(event);
  }
}

/** Warns of lost rows and of an early end. */
export function warnOfEnd({ lost, ended }: Pick<Extract<RunEvent, { type: 'run-end' }>, 'lost' | 'ended'>): void {
  for (const { rows, column, code, message } of lost.filter((one) => !isRefusal(one.code))) {
    const where = column === '' ? '' : ` in ${failedPart(column, code)}`;
    warn(code, `${rows} ${rows === 1 ? 'row is' : 'rows are'} missing: lost${where}: ${message}`);
  }
  if (ended) warn(ended.code, ended.message);
}

/** Warns a program that takes no warnings of each mistake of a declaration once. */
export function warningsOfProgram(): (warning: Violation) => void {
  const told = new Set<string>();
  return (warning) => {
    const text = printViolation(warning);
    if (told.has(text)) return;
    told.add(text);
    warn(warning.type, text);
  };
}

function warn(code: string, message: string): void {
  process.emitWarning(message, { type: 'DataDesignerWarning', code });
}

import type { CellValue } from '@data-designer/core';
import { FILTER_NAMES } from './syntax/builtin-names.ts';
import { Meter } from './value/meter.ts';
import { str } from './value/print.ts';

/** The text that a value has in Python, where it stands for a template: text as it is, all else as `repr` writes it. */
export function pythonText(value: CellValue): string {
  return str(value, new Meter({ leniency: 'lenient', keyFirst: false, filters: FILTER_NAMES }));
}

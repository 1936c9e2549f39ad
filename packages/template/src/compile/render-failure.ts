import { DataDesignerError, MAX_VALUE_DEPTH, type Row } from '@data-designer/core';
import type { ParsedTemplate } from '../parse-template.ts';
import { GLOBALS } from '../filters/globals.ts';
import { Fault } from '../fault.ts';
import { findEmptyReferences } from './find-empty-references.ts';
import type { Render } from './render.ts';

/** A failed render with its template. */
export interface FailedRender {
  readonly source: string;
  readonly parsed: ParsedTemplate;
  readonly render: Render;
}

/** Throws `template/refused` if the record lacks a column that the template names, even on an unused branch. */
export function checkColumns(parsed: ParsedTemplate, record: Row): void {
  for (const name of parsed.references) if (!Object.hasOwn(record, name)) refuseName(name, record);
}

function refuseName(name: string, record: Row): never {
  const known = Object.keys(record).filter((column) => !GLOBALS.has(column));
  const remedy = known.length === 0 ? 'There are no columns.' : `Columns: ${known.join(', ')}.`;
  throw new DataDesignerError('template/refused', { construct: `the name '${name}', which is not a column`, remedy });
}

/** The error of a render that printed nothing or needed a missing value. */
export function emptyRenderFailure({
  source,
  parsed,
  render,
}: FailedRender): DataDesignerError<'template/empty-render'> {
  const template = source.length > 200 ? `${source.slice(0, 200)}...` : source;
  return new DataDesignerError('template/empty-render', {
    template,
    culprits: findEmptyReferences(parsed.tree, render),
  });
}

/** Turns a thrown value into a typed failure. */
export function failureOf(thrown: unknown, attempt: FailedRender): unknown {
  if (thrown instanceof RangeError && thrown.message.includes('call stack')) {
    return new DataDesignerError('template/limit', { what: 'nested calls', limit: MAX_VALUE_DEPTH }, { cause: thrown });
  }
  if (!(thrown instanceof Fault)) return thrown;
  if (thrown.kind === 'undefined') return emptyRenderFailure(attempt);
  return failureOfFault(thrown);
}

/** The error of a fault, whatever the row is. */
export function failureOfFault({ kind, message: reason }: Fault): DataDesignerError {
  if (kind !== 'security') return new DataDesignerError('template/record', { reason });
  return new DataDesignerError('template/refused', { construct: reason, remedy: 'Change the template.' });
}

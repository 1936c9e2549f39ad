import { type ArrowField, type CellValue, field, isFields, messageOf } from '@data-designer/core';
import type { JsonSchema } from '@data-designer/json-schema';
import { compileAnswer } from '../answer/compile-answer.ts';
import { arrowOfSchema } from '../llm-structured/arrow-of-schema.ts';
import { compileFieldCheck } from '../plugin/compile-field-check.ts';

/** A row, or a text that says why it is none. */
type AcceptedRow = Readonly<Record<string, CellValue>> | string;

/** The columns of rows that a function of the calling program returns, and the check of each row. */
export interface RowFormat {
  readonly fields: readonly ArrowField[];
  readonly accept: (row: unknown) => AcceptedRow;
}

/** Rows with these columns and no others; a column that a row lacks is null. */
export function formatOfFields(fields: readonly ArrowField[]): RowFormat {
  const checks = new Map(fields.map((one) => [one.name, compileFieldCheck({ ...one, nullable: true })]));
  return {
    fields: fields.map((one) => ({ ...one, nullable: true })),
    accept: (row) => {
      if (!isFields(row)) return notRow(row);
      for (const [name, value] of Object.entries(row)) {
        const check = checks.get(name);
        if (!check) return `it has the column '${name}', which the stage does not have; declare it with outputFormat`;
        const mistake = check(value);
        if (mistake !== undefined) return mistake;
      }
      return row as Readonly<Record<string, CellValue>>;
    },
  };
}

/** Rows that match the JSON Schema of an object; undefined for a schema without known columns. */
export function formatOfSchema(schema: JsonSchema): RowFormat | undefined {
  const type = arrowOfSchema(schema);
  const accept = compileAnswer(schema);
  if (!accept || typeof type !== 'object' || !('struct' in type)) return undefined;
  return {
    fields: type.struct.map((one) => field(one.name, one.type, { ...one, nullable: true })),
    accept: (row) => {
      if (!isFields(row)) return notRow(row);
      try {
        return accept(row as CellValue) as Readonly<Record<string, CellValue>>;
      } catch (thrown) {
        return messageOf(thrown).replace(/\.$/, '');
      }
    },
  };
}

function notRow(value: unknown): string {
  const what = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
  return `it is ${what}, not an object with columns`;
}

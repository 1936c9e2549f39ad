import { z } from 'zod';
import { DataDesignerError } from '@data-designer/core';
import { parseTemplate } from '@data-designer/template';
import { scalarValue } from './exact-value.ts';

/** When a column is left out of a row, and what its cell holds then. */
export const skipRule = z.strictObject({
  when: z
    .string()
    .check((context) => {
      const mistake = mistakeIn(context.value);
      if (mistake !== undefined) context.issues.push({ code: 'custom', message: mistake, input: context.value });
    })
    .describe('A template over other columns, braces included: the cell is left out where it is true.'),
  value: scalarValue.nullable().default(null).describe('What the cell holds where it is left out.'),
});

/** A rule must be a template that asks for some column: without braces it would be text, and always true. */
function mistakeIn(when: string): string | undefined {
  try {
    const { references, globals } = parseTemplate(when);
    if (references.length > 0 || globals.length > 0) return undefined;
    return 'it names no column: write it with braces, as {{ score < 3 }}';
  } catch (thrown) {
    return DataDesignerError.fromUnknown(thrown).message;
  }
}

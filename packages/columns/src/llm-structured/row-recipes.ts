import { type Cell, type CellValue, DataDesignerError, parseJson } from '@data-designer/core';
import { asSchema, type JsonSchema, loadAjv, schemaMistake, withTimeLimit } from '@data-designer/json-schema';
import { compileTypedTemplate, type TemplateMode } from '@data-designer/template';
import { type AcceptAnswer, compileAnswer } from '../answer/compile-answer.ts';
import { readSchema } from '../answer/discriminator.ts';
import { jsonInstructions } from '../answer/json-instructions.ts';
import { readJson } from '../answer/read-json.ts';
import { validationSchema } from '../answer/validation-schema.ts';
import type { Recipe } from '../llm-column.ts';
import { refuseReferences, rowSchemaText, UnusableSchema } from './row-schema.ts';

/** The most schemas that a thread keeps compiled, and the most characters of all of them: about 100 bytes each. */
const MOST_KEPT = 256;
const MOST_KEPT_CHARACTERS = 2 ** 19;

/** How long compiling a schema, or checking an answer by it, may take. */
const LIMIT_MS = 5_000;

/** A schema with the check of answers by it, or the reason why it cannot be used. */
type Compiled = { readonly schema: JsonSchema; readonly accept: AcceptAnswer } | { readonly reason: string };

const compiled = new Map<string, Compiled>();
let characters = 0;

/**
 * Compiles a template of schemas into the function that gives a row's recipe. It throws `column/bad-schema` for a row
 * without a usable schema and `answer/schema-timed-out` for a schema that takes too long.
 */
export function rowRecipes(template: string, column: string, mode: TemplateMode): (cell: Cell) => Recipe<CellValue> {
  const render = compileTypedTemplate({ schema: template }, { mode, isPortable: false });
  const timedOut = () => new DataDesignerError('answer/schema-timed-out', { column, limitMs: LIMIT_MS });
  const timed = <Result>(work: () => Result) => withTimeLimit(work, { limitMs: LIMIT_MS, timedOut });
  return ({ row, random }) => {
    const { schema: value = null } = render(row, () => random.float());
    const text = textOf(value, column);
    const { schema } = usable(text, column, timed);
    return {
      instructions: jsonInstructions(schema),
      shape: schema,
      parse: (answer, mend, note) => {
        const data = readJson(answer, note);
        // A waiting row keeps no compiled schema.
        const { accept } = usable(text, column, timed);
        return timed(() => accept(mend ? mend(data) : data));
      },
    };
  };
}

type Timed = <Result>(work: () => Result) => Result;

function textOf(value: CellValue, column: string): string {
  try {
    return rowSchemaText(value);
  } catch (thrown) {
    throw thrown instanceof UnusableSchema ? badSchema(column, thrown.message) : thrown;
  }
}

function usable(text: string, column: string, timed: Timed): Exclude<Compiled, { readonly reason: string }> {
  const found = compiled.get(text) ?? keep(text, compiledFrom(text, timed));
  if ('reason' in found) throw badSchema(column, found.reason);
  return found;
}

function badSchema(column: string, reason: string): DataDesignerError<'column/bad-schema'> {
  return new DataDesignerError('column/bad-schema', { column, reason });
}

/** Drops the schemas that were compiled first if there are too many. */
function keep(text: string, found: Compiled): Compiled {
  for (const oldest of compiled.keys()) {
    if (compiled.size < MOST_KEPT && characters + text.length <= MOST_KEPT_CHARACTERS) break;
    compiled.delete(oldest);
    characters -= oldest.length;
  }
  compiled.set(text, found);
  characters += text.length;
  return found;
}

function compiledFrom(text: string, timed: Timed): Compiled {
  const schema = asSchema(parseJson(text));
  // Loads the library outside of the time limit, which could end it midway.
  loadAjv(schema['$schema']);
  try {
    return timed(() => {
      refuseReferences(schema);
      const accept = compileAnswer(schema, { hasQuickCheck: false });
      return accept ? { schema, accept } : { reason: mistakeIn(schema) };
    });
  } catch (thrown) {
    if (thrown instanceof UnusableSchema) return { reason: thrown.message };
    throw thrown;
  }
}

function mistakeIn(schema: JsonSchema): string {
  const mistake = schemaMistake(validationSchema(readSchema(schema)), schema['$schema']);
  return `it is not a valid JSON Schema: ${mistake ?? 'it does not compile'}`;
}

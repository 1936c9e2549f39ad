import { DataDesignerError, fieldsOf, isNestedTooDeeply, itemsOf, parseJson, tryParse } from '@data-designer/core';
import { describeViolation, type JsonSchema, loadAjv, plainNumbers } from '@data-designer/json-schema';

/** Why a body is no answer to the rows that were posted, in words; undefined where it is one. */
export type CheckAnswer = (body: string, posted: string) => string | undefined;

/** Of a body that is no answer so much is shown. */
const SHOWN_CHARACTERS = 80;

/** Checks answers: `{"data": [...]}` with one object for each row, each with `is_valid`, validated against a schema if one is given. */
export function recordChecker(schema: JsonSchema | null): CheckAnswer {
  let validate: ReturnType<ReturnType<typeof loadAjv>['compile']> | undefined;
  return (body, posted) => {
    const answer = isNestedTooDeeply(body) ? undefined : tryParse(body, parseJson);
    if (answer === undefined) return `it is not valid JSON: ${shown(body)}`;
    const { data } = fieldsOf(answer);
    if (!Array.isArray(data)) return `it is not an object with a list 'data': ${shown(body)}`;
    const rows = itemsOf(fieldsOf(JSON.parse(posted)).data).length;
    if (data.length !== rows) return `it has ${count(data.length, 'result')} for ${count(rows, 'row')}`;
    const wrong = data.findIndex((row) => !isVerdict(row));
    if (wrong >= 0) return `row ${wrong + 1} of its 'data' is not an object with 'is_valid' true, false or null`;
    if (!schema) return undefined;
    validate ??= loadAjv(schema['$schema']).compile(schema);
    try {
      if (validate(plainNumbers(answer))) return undefined;
    } catch (thrown) {
      // A pattern that does not finish costs these rows, not the connection.
      return DataDesignerError.fromUnknown(thrown).message.replace(/\.$/, '');
    }
    return describeViolation(validate.errors ?? [], answer).replace(/\.$/, '');
  };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function isVerdict(row: unknown): boolean {
  const { is_valid: verdict } = fieldsOf(row);
  return typeof verdict === 'boolean' || verdict === null;
}

function shown(body: string): string {
  const text = body.trim().replaceAll(/\s+/g, ' ');
  return text === '' ? 'it is empty' : text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

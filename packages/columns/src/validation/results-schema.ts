import type { Finding } from '@data-designer/core';
import type { JsonSchema } from '@data-designer/json-schema';
import { isUsable } from '../answer/compile-answer.ts';
import { runFinding } from '../run-finding.ts';
import { withNamedBranches } from '../answer/discriminator.ts';
import { closedSchema } from '../answer/validation-schema.ts';

/** The schema that validates the results of a validator. */
export interface ResultsSchema {
  readonly schema: JsonSchema;
  /** Whether it rejects undeclared members; otherwise it is the declared schema. */
  readonly isClosed: boolean;
}

/** Closes an `output_schema` to members that it does not declare, if its keywords allow that. */
export function resultsSchema(declared: JsonSchema): ResultsSchema {
  const closed = closedSchema(withNamedBranches(declared));
  return { schema: closed ?? declared, isClosed: closed !== undefined };
}

/** Mistakes of an `output_schema`. */
export function checkOutputSchema(declared: JsonSchema | null): Finding[] {
  if (declared === null) return [];
  if (!isUsable(declared)) return [unusableSchema()];
  return resultsSchema(declared).isClosed ? [] : [openSchema()];
}

/** Closing the parts of `not` or `if` would change their meaning. */
function openSchema(): Finding {
  return runFinding(['validatorParams', 'outputSchema'], {
    type: 'open_schema',
    level: 'WARNING',
    message:
      'the schema cannot be restricted to its declared properties, because it uses keywords such as not, if or contains.',
    remedy: "Add 'additionalProperties: false' where needed, or remove these keywords.",
  });
}

function unusableSchema(): Finding {
  return runFinding(['validatorParams', 'outputSchema'], {
    type: 'unusable_schema',
    message: 'this is not a valid JSON Schema, so answers cannot be validated.',
    remedy: 'Correct or remove the schema.',
  });
}

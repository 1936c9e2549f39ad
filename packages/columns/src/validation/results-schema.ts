import type { JsonSchema } from '@data-designer/json-schema';
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

import type { JsonSchema } from '@data-designer/json-schema';
import { withNamedBranches } from '../answer/discriminator.ts';
import { closedSchema } from '../answer/validation-schema.ts';

/** The schema that results of a validator are held against. */
export interface ResultsSchema {
  readonly schema: JsonSchema;
  /** Whether it refuses members that the declared one does not name; else it is the declared one itself. */
  readonly isClosed: boolean;
}

/** An `output_schema` without room for members that it does not name, as far as it can be closed. */
export function resultsSchema(declared: JsonSchema): ResultsSchema {
  const closed = closedSchema(withNamedBranches(declared));
  return { schema: closed ?? declared, isClosed: closed !== undefined };
}

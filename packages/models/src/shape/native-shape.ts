import { type CellValue, type DataDesignerError, type FailureCode, fieldsOf } from '@data-designer/core';
import { nullDropper } from './drop-nulls.ts';
import { strictSchema } from './strict-schema.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The schema that an endpoint enforces on its answer, and the conversion of that answer to the column's schema. */
export interface NativeShape {
  readonly schema: Schema;
  /** Whether the endpoint can keep to the schema exactly. */
  readonly strict: boolean;
  /** The data as the user's own schema takes it; undefined where nothing was changed in the schema that shows there. */
  readonly mend: ((data: CellValue) => CellValue) | undefined;
}

const known = new WeakMap<Schema, NativeShape | undefined>();

/**
 * How to ask for an answer of this schema: strictly where that changes nothing about what may be said, else with the
 * schema as it is. Undefined for a schema that refers to others elsewhere. Worked out once for each schema object.
 */
export function nativeShape(schema: Schema): NativeShape | undefined {
  if (!known.has(schema)) known.set(schema, makeShape(schema));
  return known.get(schema);
}

function makeShape(schema: Schema): NativeShape | undefined {
  if (refersElsewhere(schema)) return undefined;
  const strict = strictSchema(schema);
  return {
    schema: strict?.schema ?? schema,
    strict: strict !== undefined,
    mend: strict?.hasNulls ? nullDropper(schema) : undefined,
  };
}

function refersElsewhere(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if ('$ref' in part && typeof part.$ref === 'string' && !part.$ref.startsWith('#')) return true;
  return Object.values(part).some(refersElsewhere);
}

/** Refusals that concern the request itself: an endpoint that gives one has looked at the schema. */
export const REQUEST_REFUSALS: ReadonlySet<FailureCode> = new Set([
  'model/rejected',
  'model/unprocessable',
  'model/unsupported-parameter',
]);

/** Words by which endpoints complain of a `response_format` that they do not take. */
const COMPLAINT = /response_?\s?format|json_?\s?schema|structured[_ ]outputs?|guided|grammar|schema/i;

/** Whether a request was refused because of the schema that its answer was to be held to. */
export function isShapeRefusal({ code, data }: DataDesignerError): boolean {
  if (!REQUEST_REFUSALS.has(code)) return false;
  const { reason } = fieldsOf(data);
  return typeof reason === 'string' && COMPLAINT.test(reason);
}

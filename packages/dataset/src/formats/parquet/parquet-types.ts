import type { SchemaElement, SchemaTree } from 'hyparquet';
import { type ArrowField, type ArrowType, fieldOrJson, MAX_DECIMAL_DIGITS } from '@data-designer/core';
import { holdsJson, holdsLogical } from '../../encode/decode-row.ts';

/** The columns that hold dates, times, decimals or declared JSON text; other values need no type to be read. */
export function convertedFields(fields: readonly ArrowField[]): readonly ArrowField[] {
  return fields.filter((field) => holdsLogical(field.type) || holdsJson(field));
}

/** A column or a member of a file as a field; JSON text for maps. */
export function fieldOf(tree: SchemaTree): ArrowField {
  return fieldOrJson(tree.element.name, typeOf(tree));
}

/** The type of a column; undefined for maps and for lists that no current writer makes. */
function typeOf({ element, children }: SchemaTree): ArrowType | undefined {
  if (children.length === 0) return scalarOf(element);
  const kind = element.logical_type?.type ?? element.converted_type;
  if (kind === 'MAP' || kind === 'MAP_KEY_VALUE') return undefined;
  if (kind !== 'LIST') return { struct: children.map(fieldOf) };
  const item = children[0]?.children[0];
  const type = item && typeOf(item);
  return type && { list: type };
}

const UNITS = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' } as const;

/** The type of texts, whole numbers and truth values; undefined for other columns, and for texts and numbers that stand for others. */
export function plainType({
  type,
  logical_type,
  converted_type,
}: SchemaElement): 'utf8' | 'int64' | 'bool' | undefined {
  const kind = logical_type?.type ?? converted_type;
  if (type === 'BYTE_ARRAY') return kind === 'STRING' || kind === 'UTF8' ? 'utf8' : undefined;
  if (type === 'INT32' || type === 'INT64') return kind === undefined || /^U?INT/.test(kind) ? 'int64' : undefined;
  return type === 'BOOLEAN' ? 'bool' : undefined;
}

/** The type of the values of a Parquet column that has no members. */
function scalarOf(element: SchemaElement): ArrowType {
  const { type, logical_type: logical, converted_type: converted, precision = 0, scale = 0 } = element;
  if (logical?.type === 'TIMESTAMP')
    return { logical: 'timestamp', unit: UNITS[logical.unit], zoned: logical.isAdjustedToUTC };
  if (logical?.type === 'TIME' && logical.unit !== 'MILLIS') return { logical: 'time', unit: UNITS[logical.unit] };
  switch (logical?.type ?? converted) {
    case 'NULL':
      return 'null';
    case 'FLOAT16':
      return 'float64';
    case 'DECIMAL':
      return precision > MAX_DECIMAL_DIGITS ? 'float64' : { logical: 'decimal', precision, scale };
    case 'DATE':
      return { logical: 'date' };
    case 'TIMESTAMP_MILLIS':
      return { logical: 'timestamp', unit: 'ms', zoned: true };
    case 'TIMESTAMP_MICROS':
      return { logical: 'timestamp', unit: 'us', zoned: true };
    case 'TIME_MICROS':
      return { logical: 'time', unit: 'us' };
    default:
  }
  if (type === 'INT96') return { logical: 'timestamp', unit: 'ns', zoned: false };
  if (type === 'BOOLEAN') return 'bool';
  if (type === 'INT32' || type === 'INT64') return 'int64';
  return type === 'FLOAT' || type === 'DOUBLE' ? 'float64' : 'utf8';
}

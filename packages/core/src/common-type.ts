import {
  type ArrowField,
  type ArrowType,
  encodedField,
  field,
  type LogicalType,
  MAX_DECIMAL_DIGITS,
} from './arrow-type.ts';

/** The field of a type, or of JSON text without one. */
export function fieldOrJson(name: string, type: ArrowType | undefined): ArrowField {
  return type === undefined ? field(name, 'utf8', { json: true }) : field(name, type);
}

/** The type that holds the values of both; undefined if there is none. Members of structs without one become JSON text. */
export function commonType(a: ArrowType, b: ArrowType): ArrowType | undefined {
  if (a === 'null' || b === 'null') return a === 'null' ? b : a;
  if (typeof a === 'string' || typeof b === 'string') {
    if (a === b) return a;
    return isNumber(a) && isNumber(b) ? 'float64' : undefined;
  }
  if ('logical' in a || 'logical' in b) return 'logical' in a && 'logical' in b ? commonLogical(a, b) : undefined;
  if ('list' in a && 'list' in b) {
    const item = commonType(a.list, b.list);
    return item && { list: item };
  }
  return 'struct' in a && 'struct' in b ? commonStruct(a.struct, b.struct) : undefined;
}

function isNumber(type: ArrowType): boolean {
  return (
    type === 'int64' ||
    type === 'float64' ||
    (typeof type === 'object' && 'logical' in type && type.logical === 'decimal')
  );
}

/** Of two units the smaller, of two decimals one with the digits of both. */
function commonLogical(a: LogicalType, b: LogicalType): ArrowType | undefined {
  if (a.logical === 'date' && b.logical === 'date') return a;
  if (a.logical === 'time' && b.logical === 'time') return a.unit === 'ns' ? a : b;
  if (a.logical === 'timestamp' && b.logical === 'timestamp') {
    if (a.zoned !== b.zoned) return undefined;
    return UNITS.indexOf(a.unit) < UNITS.indexOf(b.unit) ? b : a;
  }
  if (a.logical !== 'decimal' || b.logical !== 'decimal') return undefined;
  const scale = Math.max(a.scale, b.scale);
  const precision = scale + Math.max(a.precision - a.scale, b.precision - b.scale);
  return precision > MAX_DECIMAL_DIGITS ? 'float64' : { logical: 'decimal', precision, scale };
}

const UNITS = ['ms', 'us', 'ns'] as const;

/** The members of both: a struct of one type has null for what only the other names. */
function commonStruct(a: readonly ArrowField[], b: readonly ArrowField[]): ArrowType {
  const members = new Map(a.map((one) => [one.name, one]));
  for (const one of b) {
    const known = members.get(one.name);
    members.set(one.name, known ? commonField(known, one) : one);
  }
  return { struct: [...members.values()] };
}

/** The field that holds the values of both; JSON text if no other type does. */
export function commonField(a: ArrowField, b: ArrowField): ArrowField {
  if (a.encoded === true || b.encoded === true) return encodedField(a.name);
  return fieldOrJson(a.name, a.json === true || b.json === true ? undefined : commonType(a.type, b.type));
}

import {
  Bool,
  type DataType,
  DateDay,
  Decimal,
  Field,
  Float64,
  Int64,
  List,
  Null,
  Schema,
  Struct,
  TimeMicrosecond,
  TimeNanosecond,
  Timestamp,
  TimeUnit,
  Utf8,
} from 'apache-arrow';
import { type ArrowField, type ArrowScalar, type ArrowType, JSON_MARK, type LogicalType } from '@data-designer/core';

const PRIMITIVES = {
  bool: () => new Bool(),
  int64: () => new Int64(),
  float64: () => new Float64(),
  utf8: () => new Utf8(),
  null: () => new Null(),
} as const satisfies Record<ArrowScalar, () => DataType>;

/** The Arrow schema of a table, with a name for the zone of its timestamps; field metadata marks JSON text. */
export function arrowSchema(fields: readonly ArrowField[], zone = 'UTC'): Schema {
  return new Schema(fields.map((one) => arrowField(one, zone)));
}

/** One field of an Arrow schema. */
export function arrowField({ name, type, nullable, json }: ArrowField, zone = 'UTC'): Field {
  return new Field(name, arrowType(type, zone), nullable, json === true ? new Map([[JSON_MARK, 'true']]) : undefined);
}

function arrowType(type: ArrowType, zone: string): DataType {
  if (typeof type === 'string') return PRIMITIVES[type]();
  if ('logical' in type) return logicalDataType(type, zone);
  if ('list' in type) return new List(listItem(type.list, zone));
  return new Struct(type.struct.map((member) => arrowField(member, zone)));
}

const UNITS = { ms: TimeUnit.MILLISECOND, us: TimeUnit.MICROSECOND, ns: TimeUnit.NANOSECOND } as const;

/** The Arrow type of dates, times and decimals. */
export function logicalDataType(
  type: LogicalType,
  zone = 'UTC',
): DateDay | TimeMicrosecond | TimeNanosecond | Timestamp | Decimal {
  switch (type.logical) {
    case 'date':
      return new DateDay();
    case 'time':
      return type.unit === 'ns' ? new TimeNanosecond() : new TimeMicrosecond();
    case 'timestamp':
      return new Timestamp(UNITS[type.unit], type.zoned ? zone : undefined);
    case 'decimal':
      return new Decimal(type.scale, type.precision);
  }
}

/** The nullable field of a list's items. */
export function listItem(type: ArrowType, zone = 'UTC'): Field {
  return arrowField({ name: 'item', type, nullable: true }, zone);
}

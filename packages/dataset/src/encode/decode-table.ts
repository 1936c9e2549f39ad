import {
  type Data,
  DataType,
  Field,
  Int32,
  Int64,
  List,
  RecordBatch,
  Schema,
  Struct,
  StructRow,
  Table,
  TimeUnit,
  Type,
  Vector,
} from 'apache-arrow';
import { type ArrowField, type ArrowType, JSON_MARK, type LogicalType } from '@data-designer/core';
import { holdsLogical, type PlainRow, rowDecoder } from './decode-row.ts';

/** The rows of an Arrow table as plain records. */
export function* tableRows(table: Table): Generator<PlainRow> {
  const fields = table.schema.fields.map(fieldOf);
  const decode = rowDecoder(fields);
  const stored = fields.some(({ type }) => holdsLogical(type)) ? withStoredNumbers(table) : table;
  const columns = table.schema.fields.map(({ name }, index) => [name, stored.getChildAt(index)] as const);
  for (let row = 0; row < table.numRows; row++) {
    yield decode(Object.fromEntries(columns.map(([name, column]) => [name, plain(column?.get(row))])));
  }
}

/** The plain-data form of an Arrow field, with its JSON mark. */
function fieldOf({ name, type, nullable, metadata }: Field): ArrowField {
  const field: ArrowField = { name, type: typeOf(type), nullable };
  return metadata.has(JSON_MARK) ? { ...field, json: true } : field;
}

function typeOf(type: DataType): ArrowType {
  if (DataType.isList(type)) return { list: typeOf(type.valueType) };
  const logical = logicalOf(type);
  if (logical) return logical;
  switch (type.typeId) {
    case Type.Null:
      return 'null';
    case Type.Bool:
      return 'bool';
    case Type.Int:
      return 'int64';
    case Type.Float:
      return 'float64';
    case Type.Struct:
      return { struct: type.children.map(fieldOf) };
    default:
      return 'utf8';
  }
}

const UNITS = { [TimeUnit.MILLISECOND]: 'ms', [TimeUnit.MICROSECOND]: 'us', [TimeUnit.NANOSECOND]: 'ns' } as const;

function logicalOf(type: DataType): LogicalType | undefined {
  if (DataType.isDate(type)) return { logical: 'date' };
  if (DataType.isDecimal(type)) return { logical: 'decimal', precision: type.precision, scale: type.scale };
  if (DataType.isTime(type)) return { logical: 'time', unit: type.unit === TimeUnit.NANOSECOND ? 'ns' : 'us' };
  if (!DataType.isTimestamp(type) || type.unit === TimeUnit.SECOND) return undefined;
  return { logical: 'timestamp', unit: UNITS[type.unit], zoned: typeof type.timezone === 'string' };
}

/** The table with the numbers of dates and times as integers: the library rounds them to milliseconds. */
function withStoredNumbers(table: Table): Table {
  const schema = new Schema(table.schema.fields.map((one) => storedField(one)));
  return new Table(table.batches.map((batch) => new RecordBatch(schema, storedStruct(batch.data))));
}

function storedField(one: Field): Field {
  return new Field(one.name, storedType(one.type), one.nullable, one.metadata);
}

function storedType(type: DataType): DataType {
  if (DataType.isDate(type)) return new Int32();
  if (DataType.isTime(type) || DataType.isTimestamp(type)) return new Int64();
  if (DataType.isList(type)) return new List(storedField(type.valueField));
  return DataType.isStruct(type) ? new Struct(type.children.map(storedField)) : type;
}

function storedStruct(data: Data<Struct>): Data<Struct> {
  const type = new Struct(data.type.children.map(storedField));
  return data.clone(type, data.offset, data.length, data.nullCount, data.buffers, data.children.map(storedData));
}

function storedData(data: Data): Data {
  const children = data.children.map(storedData);
  return data.clone(storedType(data.type), data.offset, data.length, data.nullCount, data.buffers, children);
}

/** Converts Arrow's views of lists and structs to arrays and objects. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint32Array) return new BigInt64Array(value.slice(0, 2).buffer)[0];
  if (value instanceof Vector) return Array.from(value, plain);
  const members = value instanceof StructRow ? value.toJSON() : value;
  return Object.fromEntries(Object.entries(members).map(([name, part]) => [name, plain(part)]));
}

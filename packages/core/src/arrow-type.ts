/** An Arrow type without parts; every value of `null` is null. */
export type ArrowScalar = 'bool' | 'int64' | 'float64' | 'utf8' | 'null';

/** An Arrow type as plain data, for plans and channel messages; the dataset writer converts it to a real Arrow type. */
export type ArrowType = ArrowScalar | { readonly list: ArrowType } | { readonly struct: readonly ArrowField[] };

/** The key of the Arrow field metadata that marks text as JSON. */
export const JSON_MARK = 'data-designer:json';

/** A named Arrow type; `json` marks text that holds JSON because its shape has no Arrow type. */
export interface ArrowField {
  /** The name of the column. */
  readonly name: string;
  /** The type of its values. */
  readonly type: ArrowType;
  /** Whether values may be null. */
  readonly nullable: boolean;
  /** Whether the text is JSON. */
  readonly json?: boolean;
}

/** Makes an Arrow field; it is nullable unless the options say otherwise. */
export function field(name: string, type: ArrowType, options: { nullable?: boolean; json?: boolean } = {}): ArrowField {
  const { nullable = true, json = false } = options;
  return json ? { name, type, nullable, json } : { name, type, nullable };
}

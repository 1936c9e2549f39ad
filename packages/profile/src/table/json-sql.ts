/** SQL for a struct, or for JSON that is held as text, as JSON. */
export function jsonSql(expression: string): string {
  const json = `to_json(${expression})`;
  return `CASE WHEN json_type(${json}) = 'VARCHAR' THEN CAST(json_extract_string(${json}, '$') AS JSON) ELSE ${json} END`;
}

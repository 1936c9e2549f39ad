import { dirname, join } from 'node:path';
import { type ArrowField, type ArrowType, encodedField, fieldsOf } from '@data-designer/core';
import { isSchema, isStoredAsJson, type JsonSchema, resolveReference } from '@data-designer/json-schema';
import { readJsonFile } from '../../files/json-file.ts';

/** The columns that a declaration stores as JSON text wholly (`true`), or where their schemas say so. */
type DeclaredJson = ReadonlyMap<string, JsonSchema | true>;

/** References of a schema are followed this often without a step into the values. */
const MOST_REFERENCES = 20;

/** Gives the fields of a dataset of NeMo Data Designer the JSON text that the declaration in its folder asks for. */
export async function withDeclaredJson(folder: string, fields: readonly ArrowField[]): Promise<readonly ArrowField[]> {
  const declared = await declaredJson(join(folder, 'builder_config.json'));
  if (declared.size === 0) return fields;
  return fields.map((field) => {
    const schema = declared.get(field.name);
    if (schema === true) return field.type === 'utf8' ? encodedField(field.name) : field;
    return schema ? typed(field.name, field.type, { schema, root: schema }) : field;
  });
}

/** The folder of the dataset that a file of rows is in. */
export function datasetOf(path: string): string {
  return dirname(dirname(path));
}

async function declaredJson(path: string): Promise<DeclaredJson> {
  const document = fieldsOf(await readJsonFile(path).catch(() => undefined));
  const { columns } = fieldsOf(document['data_designer'] ?? document);
  const declared = new Map<string, JsonSchema | true>();
  for (const column of Array.isArray(columns) ? columns.map(fieldsOf) : []) {
    const { name, storage_encoding: encoding, output_format: schema } = column;
    if (typeof name !== 'string') continue;
    if (encoding === 'json') declared.set(name, true);
    else if (isSchema(schema)) declared.set(name, schema);
  }
  return declared;
}

interface Place {
  readonly schema: unknown;
  readonly root: JsonSchema;
  readonly references?: number;
}

/** A field with JSON text wherever its values are text and the schema of a place asks for it. */
function typed(name: string, type: ArrowType, { schema, root, references = 0 }: Place): ArrowField {
  const plain: ArrowField = { name, type, nullable: true };
  if (!isSchema(schema) || references > MOST_REFERENCES) return plain;
  if (isStoredAsJson(schema)) return type === 'utf8' ? encodedField(name) : plain;
  const inner = stepInto(name, type, { schema, root });
  const { $ref, anyOf, oneOf, allOf } = schema;
  const branches = [resolveReference($ref, root)?.schema, anyOf, oneOf, allOf].flat();
  return branches.reduce<ArrowField>(
    (field, branch) =>
      field.json === true ? field : typed(name, field.type, { schema: branch, root, references: references + 1 }),
    inner,
  );
}

function stepInto(
  name: string,
  type: ArrowType,
  { schema, root }: Place & { readonly schema: JsonSchema },
): ArrowField {
  const plain: ArrowField = { name, type, nullable: true };
  if (typeof type === 'string' || 'logical' in type) return plain;
  if ('list' in type) {
    const item = typed(name, type.list, { schema: schema['items'], root });
    return item.json === true ? encodedField(name, { list: item.type }) : { ...plain, type: { list: item.type } };
  }
  const { properties } = schema;
  if (!isSchema(properties)) return plain;
  const struct = type.struct.map((member) =>
    member.json === true ? member : typed(member.name, member.type, { schema: properties[member.name], root }),
  );
  return { ...plain, type: { struct } };
}

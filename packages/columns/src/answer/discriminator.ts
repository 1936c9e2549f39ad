import { asSchema, follow, isSchema, type JsonSchema, type SchemaPlace, stepped } from './json-schema.ts';

/** A `oneOf` whose branches are told apart by the value of one property. */
export interface Discriminator {
  readonly property: string;
  /** The branch of each tag; its pointer is undefined for branches written in place. */
  readonly branches: ReadonlyMap<unknown, BranchPlace>;
}

/** A branch, with its way from the schema that has the `oneOf`, or from the root if it is referred to. */
export interface BranchPlace {
  readonly schema: JsonSchema;
  readonly at: { readonly root: string } | { readonly here: string };
}

/** The discriminator of a schema's `oneOf`, undefined if it has none or one that leads nowhere. */
export function discriminatorOf(schema: JsonSchema, root: JsonSchema): Discriminator | undefined {
  const { oneOf, discriminator } = schema;
  if (!Array.isArray(oneOf) || !isSchema(discriminator)) return undefined;
  const { propertyName: property, mapping } = discriminator;
  if (typeof property !== 'string') return undefined;
  const branches = new Map<unknown, BranchPlace>();
  oneOf.forEach((branch: unknown, index) => {
    const target = follow(asSchema(branch)['$ref'], root);
    const place = target ? referred(target) : { schema: asSchema(branch), at: { here: stepped('', 'oneOf', index) } };
    for (const tag of tagsOf(place.schema, property)) branches.set(tag, place);
  });
  for (const [tag, reference] of Object.entries(asSchema(mapping))) {
    const target = follow(reference, root);
    if (target) branches.set(tag, referred(target));
  }
  return branches.size === 0 ? undefined : { property, branches };
}

function referred({ pointer, schema }: SchemaPlace): BranchPlace {
  return { schema, at: { root: pointer } };
}

/** The values that a branch allows for the property that tells it apart. */
function tagsOf({ properties }: JsonSchema, property: string): readonly unknown[] {
  const tag = asSchema(asSchema(properties)[property]);
  if (tag['const'] !== undefined) return [tag['const']];
  return Array.isArray(tag['enum']) ? tag['enum'] : [];
}

import type { ColumnRegistry } from '../column-registry.ts';
import { readForm } from '../read-form.ts';

/** The names that a declared column writes, side effects included; only its own while its declaration has mistakes. */
export function writtenNames(
  declaration: { readonly name: string; readonly columnType: string },
  registry: ColumnRegistry,
): string[] {
  const type = registry.get(declaration.columnType);
  const parsed = type?.schema.safeParse(readForm(type.schema, declaration));
  if (!type || !parsed?.success) return [declaration.name];
  return type.writes(parsed.data as never).map(({ name }) => name);
}

import type { DatasetProfile } from '@data-designer/profile';

/** The first records as rows by column: texts by heading, `column` first; null cells are `null`. */
export function exampleRows({ columns }: DatasetProfile): readonly Readonly<Record<string, string>>[] {
  return columns.map(({ name, examples }) => ({
    column: name,
    ...Object.fromEntries(examples.map((text, at) => [`record ${at + 1}`, text ?? 'null'])),
  }));
}

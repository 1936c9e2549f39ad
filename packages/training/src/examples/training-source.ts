import { DataDesignerError, type Plan } from '@data-designer/core';
import {
  batchPaths,
  datasetPaths,
  type FrozenTools,
  hasRunRecord,
  readRunRecord,
  type TableRecord,
} from '@data-designer/dataset';

/** A dataset as examples are read from it. */
export interface TrainingSource {
  readonly folder: string;
  readonly plan: Plan;
  /** The tools that its models were offered, by provider. */
  readonly tools: FrozenTools;
  /** Its seed tables and collections. */
  readonly tables: readonly TableRecord[];
  /** The version of this program. */
  readonly version: string;
}

/** A dataset of a plan; that of its `run.json` unless given. Throws `dataset/missing`, `dataset/empty` and `dataset/damaged`. */
export async function readSource(
  folder: string,
  { plan: known, version }: { readonly plan: Plan | undefined; readonly version: string },
): Promise<TrainingSource> {
  const paths = datasetPaths(folder);
  // Without rows nothing is known of what models wrote, such as the tools that they were offered.
  if ((await batchPaths(folder)).length === 0) throw new DataDesignerError('dataset/empty', { path: folder });
  // NeMo Data Designer records no tools.
  if (known && !hasRunRecord(paths)) return { folder, plan: known, tools: {}, tables: [], version };
  const { plan, tools, tables } = await readRunRecord(paths);
  return { folder, plan, tools, tables, version };
}

/** Throws `dataset/no-column` for a column, or a member of one behind a dot, that the dataset lacks. */
export function requireColumn({ folder, plan }: TrainingSource, path: string): void {
  const known = plan.fields.map(({ name }) => name);
  if (known.includes(path)) return;
  const [column = '', ...members] = path.split('.');
  const found = plan.fields.find(({ name }) => name === column);
  if (!found) throw new DataDesignerError('dataset/no-column', { path: folder, column, known });
  let { type, json } = found;
  let whole = column;
  for (const member of members) {
    if (json || (typeof type === 'object' && 'list' in type)) return;
    const fields = typeof type === 'object' && 'struct' in type ? type.struct : [];
    const next = fields.find(({ name }) => name === member);
    if (!next) {
      throw new DataDesignerError('dataset/no-column', {
        path: folder,
        column: member,
        known: fields.map(({ name }) => name),
        within: whole,
      });
    }
    ({ type, json } = next);
    whole += `.${member}`;
  }
}

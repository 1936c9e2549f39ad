import type { ColumnRegistry } from '@data-designer/config';
import type { Plan, PlannedColumn } from '@data-designer/core';
import type { ColumnInfo } from '../../api/columns.ts';
import type { ModelAnswer, RecordField, ShownRecord } from '../../api/record.ts';
import { columnInfos } from '../column-infos.ts';
import { type CutLimits, IN_RECORD } from '../cut-cell.ts';
import { inlinedMedia, mediaKinds } from './media.ts';
import { type MessageContext, pricesOf, tracePage } from './messages.ts';
import { askedModel, promptIn, rawIn } from './model-answers.ts';
import { recordFields } from './record-fields.ts';
import { storedAttempts } from './recorded-attempts.ts';
import { storedStates } from './recorded-states.ts';

/** Where the records of a page come from, and which of their columns it shows. */
export interface InlineOptions {
  readonly plan: Pick<Plan, 'columns' | 'fields' | 'models' | 'attempts'>;
  readonly types: Pick<ColumnRegistry, 'get'>;
  /** The folder of the pictures; null where the rows hold them. */
  readonly folder: string | null;
  readonly hideSeedColumns?: boolean | undefined;
  /** Default true. */
  readonly includeTraces?: boolean | undefined;
}

type Row = Readonly<Record<string, unknown>>;

/** The rows of a record: its own, and the output of processors. */
interface InlinedRows {
  readonly index: number;
  readonly row: Row;
  readonly processed: readonly { readonly processor: string; readonly row: Row }[];
}

/** The values in a page: nothing loads the rest of them, so that more is shown than by a server. */
const LIMITS: CutLimits = { ...IN_RECORD, characters: 100_000 };

/** The columns of a page, and how its records are made. */
export interface RecordInliner {
  readonly columns: readonly ColumnInfo[];
  readonly inline: (rows: InlinedRows) => Promise<ShownRecord>;
}

/** Makes records for a page that is one file: with their conversations and pictures, and without what a row does not hold. */
export function recordInliner(options: InlineOptions): RecordInliner {
  const { plan, types, folder, hideSeedColumns = false, includeTraces = true } = options;
  const all = columnInfos(plan, types);
  const kinds = mediaKinds(plan, all);
  const columns = all.filter(
    ({ kind }) => (includeTraces || kind !== 'trace') && !(hideSeedColumns && kind === 'seed'),
  );
  const traced = plan.columns.filter(({ name }) => columns.some(({ kind, of }) => kind === 'trace' && of === name));
  const context: MessageContext = { priceOf: pricesOf(plan.models), mediaOf: mediaNote, characters: LIMITS.characters };
  return {
    columns,
    inline: async ({ index, row, processed }) => {
      const fields = recordFields(columns, row, {
        limits: LIMITS,
        conversationOf: (column, messages) =>
          tracePage(column, messages, { ...context, from: 0, count: messages.length }),
      }).map(async (field): Promise<RecordField> => {
        const { column } = field;
        return { ...field, media: await inlinedMedia(row[column], kinds.get(column), { column, folder }) };
      });
      return {
        index,
        fields: await Promise.all(fields),
        answers: traced.flatMap((column) => answerIn(row, column, { plan, context })),
        attempts: storedAttempts(plan.attempts ?? [], row, columns),
        states: storedStates(plan, row),
        processed: processed.map(({ processor, row: output }) => ({ processor, fields: outputFields(output) })),
      };
    },
  };
}

function mediaNote({ type }: { readonly type?: unknown }): ReturnType<MessageContext['mediaOf']> {
  const note = 'Pictures and sounds of conversations are not part of this page.';
  return { name: String(type), kind: 'image', address: null, note };
}

/** The conversation of a column in a row; none where the row has no conversation. */
function answerIn(
  row: Row,
  column: PlannedColumn,
  { plan, context }: { readonly plan: Pick<Plan, 'models'>; readonly context: MessageContext },
): readonly ModelAnswer[] {
  const trace = `${column.name}__trace`;
  const value = row[trace];
  if (!Array.isArray(value) || value.length === 0) return [];
  const messages: readonly unknown[] = value;
  return [
    {
      ...askedModel(column, plan),
      prompt: promptIn(messages, LIMITS.characters) ?? { source: 'not-stored', text: null, system: null, note: null },
      raw: rawIn(messages, LIMITS.characters) ?? { source: 'not-stored', text: null, note: null },
      conversation: tracePage(trace, messages, { ...context, from: 0, count: messages.length }),
    },
  ];
}

function outputFields(row: Row): readonly RecordField[] {
  const columns = Object.keys(row).map((name) => ({ name, shown: 'value' }) as const);
  return recordFields(columns, row, { limits: LIMITS });
}

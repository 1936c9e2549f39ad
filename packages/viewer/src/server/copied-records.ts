import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fields, type Row, stringOf } from '@data-designer/core';
import type { PlanRow } from '@data-designer/dataset';
import type { Media } from '../api/cells.ts';
import type { ColumnInfo } from '../api/columns.ts';
import type { ModelAnswer } from '../api/record.ts';
import type { CopiedRecord } from '../copy-data.ts';
import { mediaKinds, mediaWithSources, readMedium } from './record/media.ts';
import type { MessageContext } from './record/messages.ts';
import { pricesOf, tracePage } from './record/messages.ts';
import { type AnsweredPlan, modelAnswers, ownConversations } from './record/model-answers.ts';
import { planRowsOf } from './record/plan-rows.ts';
import { processedAt, sideRows } from './record/record.ts';
import { storedAttempts } from './record/recorded-attempts.ts';
import { recordedStates } from './record/recorded-states.ts';
import { failureOf } from './request-failure.ts';
import { cutText } from './cut-cell.ts';
import type { ShownDataset } from './shown-dataset.ts';

/** Which parts of records a copy holds. */
interface CopiedParts {
  /** The folder of the copy. */
  readonly to: string;
  /** The folder of its media, relative to it. */
  readonly media: string;
  readonly traces: boolean;
  readonly columns: readonly ColumnInfo[];
}

const NOT_COPIED = 'The copy was written without conversations and raw answers (`--traces` includes them).';

/** Whether records of a dataset have anything beside their values. */
export async function hasRecordParts(dataset: ShownDataset): Promise<boolean> {
  const { plan, columns } = await dataset.plan();
  const { total } = await dataset.currentRows();
  const isAsked = plan.columns.some(({ requires }) => requires.models.length > 0);
  const isProcessed = plan.processors.some(({ sideTable }) => sideTable);
  const { wanted } = await dataset.monitor.figures();
  return isAsked || isProcessed || mediaKinds(plan, columns).size > 0 || total !== wanted;
}

/** What a copy holds of rows beside their values. The rows are read together; media are written to the folder of the copy. */
export async function copiedRecords(
  dataset: ShownDataset,
  indexes: readonly number[],
  parts: CopiedParts,
): Promise<readonly CopiedRecord[]> {
  const { plan } = await dataset.plan();
  const rows = await (await dataset.currentRows()).at(indexes);
  const dropped = plan.dropped ? await sideRows(dataset, null, indexes) : [];
  const processed = await processedAt(dataset, indexes);
  const planRows = await planRowsOf(dataset);
  const copied: CopiedRecord[] = [];
  for (const [at, index] of indexes.entries()) {
    const row = rows[at] ?? {};
    const place = planRows.at(index);
    const answers = await answersOf(dataset, { row: { ...dropped[at], ...row }, place, traces: parts.traces });
    copied.push({
      row: place.planRow,
      answers,
      attempts: storedAttempts(plan.attempts ?? [], row, parts.columns),
      states: await recordedStates(plan, {
        row: { ...dropped[at], ...row },
        planRow: place.planRow,
        byCall: parts.traces,
      }),
      processed: processed[at] ?? [],
      media: await mediaOf(dataset, { row, index }, parts),
      conversations: conversationsOf(row, { ...parts, answers, plan }, { ...NO_MEDIA, priceOf: pricesOf(plan.models) }),
    });
  }
  return copied;
}

/** The conversations of columns that no answer shows. */
function conversationsOf(
  row: Row,
  { columns, traces, answers, plan }: CopiedParts & AnsweredPlan,
  context: MessageContext,
): Conversations {
  const shown = ownConversations(columns, { plan, answers }).filter(({ kind }) => traces || kind !== 'trace');
  const pages = shown.flatMap(({ name }) => {
    const messages: unknown = row[name];
    if (!Array.isArray(messages)) return [];
    return [[name, tracePage(name, messages, { ...context, from: 0, count: Infinity })] as const];
  });
  return Object.fromEntries(pages);
}

async function answersOf(
  dataset: ShownDataset,
  { row, place, traces }: { readonly row: Row; readonly place: PlanRow; readonly traces: boolean },
): Promise<readonly ModelAnswer[]> {
  const { plan } = await dataset.plan();
  const context: MessageContext = { ...NO_MEDIA, priceOf: pricesOf(plan.models) };
  const answers = await modelAnswers(dataset, { row, ...place, contextOf: () => context, messages: Infinity });
  return traces ? answers : answers.map(withoutTrace);
}

function mediaNote({ type }: Fields): Media {
  const note = 'Pictures and sounds of conversations are not copied.';
  return { name: stringOf(type) ?? '', kind: 'image', address: null, note };
}

const NO_MEDIA = { mediaOf: mediaNote, characters: Infinity } as const;

type Conversations = CopiedRecord['conversations'];

function withoutTrace(answer: ModelAnswer): ModelAnswer {
  const isKept = answer.prompt.source === 'rendered';
  return {
    ...answer,
    prompt: isKept ? answer.prompt : { source: 'not-stored', text: null, system: null, note: NOT_COPIED },
    raw: { source: 'not-stored', text: null, note: NOT_COPIED },
    conversation: null,
  };
}

/** The media of a row by column, each with the path of its copy. */
async function mediaOf(
  dataset: ShownDataset,
  { row, index }: { readonly row: Row; readonly index: number },
  { to, media: mediaFolder, columns }: CopiedParts,
): Promise<CopiedRecord['media']> {
  const { plan } = await dataset.plan();
  const found: [string, readonly Media[]][] = [];
  for (const [column, kind] of mediaKinds(plan, columns)) {
    const media = mediaWithSources(row[column], kind, { dataset: dataset.entry.id, index, column });
    const copies = media.map(({ medium, source }) => copyOf(medium, { source, to, mediaFolder, dataset }));
    if (media.length > 0) found.push([column, await Promise.all(copies)]);
  }
  return Object.fromEntries(found);
}

/** The characters of a source that is named. */
const MAX_NOTE = 200;

async function copyOf(
  medium: Media,
  {
    source,
    to,
    mediaFolder,
    dataset,
  }: { readonly source: string; readonly to: string; readonly mediaFolder: string; readonly dataset: ShownDataset },
): Promise<Media> {
  if (medium.address === null) return medium;
  const read = readMedium(source, { kind: medium.kind, folder: dataset.paths.folder });
  const found = await read.catch((thrown: unknown) => {
    if (failureOf(thrown).failure.code === 'view/not-found') return undefined;
    throw thrown;
  });
  // A file of the seed that is in no folder of the dataset.
  if (!found) return { ...medium, address: null, note: cutText(source, MAX_NOTE) };
  const { type, bytes } = found;
  const name = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  const path = `${mediaFolder}/${name}.${type.replace(/^.*\/|\+.*$/g, '')}`;
  await writeFile(join(to, path), bytes);
  return { ...medium, address: path };
}

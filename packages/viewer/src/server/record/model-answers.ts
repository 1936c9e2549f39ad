import { fieldsOf, messageFields, type Plan, type PlannedColumn, type Row, toolCallOf } from '@data-designer/core';
import { folderJournal } from '@data-designer/dataset/journal';
import { protocolOfPath } from '@data-designer/models/protocols';
import type { ColumnInfo } from '../../api/columns.ts';
import type { AnswerText, ModelAnswer } from '../../api/record.ts';
import { cutText } from '../cut-cell.ts';
import { readAnswer } from '../live/read-answer.ts';
import type { ShownDataset } from '../shown-dataset.ts';
import { FIRST_MESSAGES } from './record-fields.ts';
import { contentOf, cutMessage, type MessageContext, tracePage } from './messages.ts';
import { renderPrompt } from './render-prompt.ts';

const SETTING = 'with_trace: all_messages';

/** The row whose answers are shown. */
export interface AnsweredRow {
  readonly row: Row;
  /** The row of the plan and its row group; null where that is not known. */
  readonly planRow: number | null;
  readonly group: number | null;
  readonly contextOf: (trace: string) => MessageContext;
  /** The messages of a conversation; default: the first 20. */
  readonly messages?: number;
}

/** What each column of a model was asked for a row, and what the model said: as stored, or rendered again. */
export async function modelAnswers(dataset: ShownDataset, answered: AnsweredRow): Promise<readonly ModelAnswer[]> {
  const { plan } = await dataset.plan();
  const columns = plan.columns.filter(
    ({ name, requires, writes }) => requires.models.length > 0 && !holdsConversation(name, writes),
  );
  const answers: ModelAnswer[] = [];
  for (const column of columns) answers.push(await answerOf(dataset, column, { ...answered, plan }));
  return answers;
}

/** A plan, and the answers of a row of its dataset. */
export interface AnsweredPlan {
  readonly plan: Pick<Plan, 'columns'>;
  readonly answers: readonly ModelAnswer[];
}

/** The conversations that models wrote and that no answer shows: those of conversation columns. */
export function ownConversations(
  columns: readonly ColumnInfo[],
  { plan, answers }: AnsweredPlan,
): readonly ColumnInfo[] {
  const asking = new Set(plan.columns.filter(({ requires }) => requires.models.length > 0).map(({ name }) => name));
  const inAnswers = new Set(answers.map(({ conversation }) => conversation?.column));
  return columns.filter(({ name, of, shown }) => shown === 'conversation' && asking.has(of) && !inAnswers.has(name));
}

/** Whether the value of a column is a conversation itself: no single prompt or answer belongs to it. */
function holdsConversation(name: string, writes: PlannedColumn['writes']): boolean {
  const own = writes.find((field) => field.name === name);
  return own !== undefined && messageFields(own.type) !== undefined;
}

async function answerOf(
  dataset: ShownDataset,
  column: PlannedColumn,
  { plan, row, planRow, group, contextOf, messages: count = FIRST_MESSAGES }: AnsweredRow & { readonly plan: Plan },
): Promise<ModelAnswer> {
  const { name } = column;
  // The row may have another attempt than the last one.
  const isLastKept = plan.attempts?.some(({ keep, columns }) => keep !== 'first' && columns.includes(name)) !== true;
  const journaled = isLastKept ? await journaledAnswer(dataset, name, { planRow, group }) : undefined;
  const traceName = `${name}__trace`;
  const trace = row[traceName];
  const messages: readonly unknown[] = Array.isArray(trace) ? trace : [];
  const conversation =
    messages.length > 0 ? tracePage(traceName, messages, { ...contextOf(traceName), from: 0, count }) : null;
  return {
    ...askedModel(column, plan),
    prompt: promptIn(messages) ?? (await renderedPrompt(dataset, column, { row, rowIndex: planRow })),
    raw: rawIn(messages) ?? journaled ?? NOT_STORED,
    conversation,
  };
}

const NOT_STORED: ModelAnswer['raw'] = {
  source: 'not-stored',
  text: null,
  note: `The answer as the model wrote it is not stored. Set ${SETTING} on the column to store conversations.`,
};

/** The column and its model. */
export function askedModel(
  column: PlannedColumn,
  { models }: Pick<Plan, 'models'>,
): Pick<ModelAnswer, 'column' | 'modelAlias' | 'model'> {
  const [modelAlias = ''] = column.requires.models;
  return { column: column.name, modelAlias, model: models[modelAlias]?.model ?? '' };
}

/** The first user message of a conversation, and its system message. */
export function promptIn(messages: readonly unknown[], characters?: number): ModelAnswer['prompt'] | undefined {
  const numberOf = (wanted: string) => messages.findIndex((message) => fieldsOf(message)['role'] === wanted);
  const [user, system] = [numberOf('user'), numberOf('system')];
  if (user === -1) return undefined;
  const textOf = (message: number) => textIn(messages, message, characters);
  return { source: 'trace', text: textOf(user), system: textOf(system), note: null };
}

/** The last answer of a conversation. */
export function rawIn(messages: readonly unknown[], characters?: number): ModelAnswer['raw'] | undefined {
  const last = messages.findLastIndex((message) => fieldsOf(message)['role'] === 'assistant');
  return last === -1 ? undefined : { source: 'trace', text: textIn(messages, last, characters), note: null };
}

/** The beginning of a message of a conversation. */
function textIn(messages: readonly unknown[], message: number, characters?: number): AnswerText | null {
  const text = cutMessage(contentOf(fieldsOf(messages[message])), characters);
  return text && { ...text, message };
}

/** The most that is sent of a text that is not stored. */
const CHARACTERS = 1_000_000;

function wholeText(text: string | null): AnswerText | null {
  return text === null ? null : { text: cutText(text, CHARACTERS), length: text.length };
}

async function renderedPrompt(
  dataset: ShownDataset,
  column: PlannedColumn,
  { row, rowIndex }: { readonly row: Row; readonly rowIndex: number | null },
): Promise<ModelAnswer['prompt']> {
  const { plan } = await dataset.plan();
  const { registry } = dataset;
  const rendered = await renderPrompt(column, { plan, registry, row, rowIndex: rowIndex ?? 0 });
  if (typeof rendered === 'string') {
    const note = `${rendered} Set ${SETTING} on the column to store its prompts.`;
    return { source: 'not-stored', text: null, system: null, note };
  }
  const { prompt: text, system } = rendered;
  const isSkippable = column.skipReads.length > 0 && (row[column.name] ?? null) === null;
  const note = isSkippable
    ? 'The cell is null and its column has a skip rule: if the rule skipped it, this prompt was not sent.'
    : 'Rendered again from the stored row; corrections and media of the conversation are missing.';
  return { source: 'rendered', text: wholeText(text), system: wholeText(system), note };
}

/** The last answer in the journal of an unfinished row group. */
async function journaledAnswer(
  { paths }: ShownDataset,
  column: string,
  { planRow, group }: { readonly planRow: number | null; readonly group: number | null },
): Promise<ModelAnswer['raw'] | undefined> {
  if (planRow === null || group === null) return undefined;
  const { entries } = await folderJournal(paths.journal(group)).read();
  const mine = entries.filter((entry) => entry.row === planRow && entry.column === column && entry.status === 200);
  // The requests of environments are no answers of the column.
  const last = mine.findLast(({ path, call }) => protocolOfPath(path) !== undefined && toolCallOf(call) === undefined);
  const answer = last && (await readAnswer(last));
  return answer && { source: 'journal', text: wholeText(answer.text), note: null };
}

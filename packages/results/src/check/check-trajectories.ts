import { DataDesignerError, isMessages, type Row, tryParse } from '@data-designer/core';
import { type MessageField, messageFieldsOf, readDataset, withoutCorrections } from '@data-designer/dataset';
import {
  type FindingKind,
  type FindingOptions,
  findingsOf,
  type OfferedTools,
  readMessages,
  readTools,
  type TrajectoryFinding,
} from '@data-designer/trajectory';
import { requireColumns } from './check-dataset.ts';

/** The most findings that a report names; its counts include all. */
const MOST_NAMED = 10_000;

/** Which conversations to check, and how. */
export interface TrajectoryCheckOptions extends Omit<FindingOptions, 'tools'> {
  /** The columns with messages; all columns that hold messages if there are none. */
  readonly columns: readonly string[];
  /** The column with the tools of each row; those that the dataset's models were offered unless given. */
  readonly toolsColumn?: string | undefined;
  /** The largest allowed share of rows with findings. */
  readonly maxShare: number;
}

/** A fault of a message in a dataset. */
export interface DatasetFinding extends TrajectoryFinding {
  /** The row's index, from 0. */
  readonly row: number;
  readonly column: string;
}

/** The faults of a dataset's conversations. */
export interface TrajectoryReport {
  readonly path: string;
  readonly rows: number;
  readonly conversations: number;
  /** Rows with at least one finding. */
  readonly faultyRows: number;
  /** Whether the share of faulty rows is at most `maxShare`. */
  readonly passed: boolean;
  /** All findings, by kind, most frequent first. */
  readonly kinds: Readonly<Partial<Record<FindingKind, number>>>;
  /** The first findings, in the order of rows. */
  readonly findings: readonly DatasetFinding[];
}

/**
 * Checks the conversations of a dataset. Invalid answers and their corrections in traces are left out, as exports leave them
 * out. Throws `dataset/missing`, `dataset/empty`, `dataset/no-column`, and `dataset/no-chats`.
 */
export async function checkTrajectories(path: string, options: TrajectoryCheckOptions): Promise<TrajectoryReport> {
  const { columns, toolsColumn, maxShare, ...rules } = options;
  const fields = new Map((await messageFieldsOf(path)).map((one) => [one.field, plannedField(one)]));
  const tally = new Tally();
  let rows = 0;
  for await (const row of readDataset(path)) {
    if (rows === 0) requireColumns(path, [...columns, ...(toolsColumn === undefined ? [] : [toolsColumn])], row);
    const own = toolsColumn === undefined ? undefined : { tools: readTools(row[toolsColumn]) };
    for (const { column, messages } of conversationsIn(row, columns)) {
      const field = fields.get(column);
      const { tools } = own ?? field ?? {};
      tally.add({ row: rows, column }, findingsIn(messages, { ...rules, tools }, field?.hasCorrections));
    }
    rows++;
  }
  if (rows === 0) throw new DataDesignerError('dataset/empty', { path });
  if (tally.conversations === 0) {
    const named = columns.length === 0 ? 'no column' : `none of the columns ${columns.join(', ')}`;
    const where = columns.length === 1 ? `no cell of the column '${columns.join()}'` : named;
    const reason = `${where} holds a list of messages with role and content`;
    throw new DataDesignerError('dataset/no-chats', { path, reason });
  }
  return { path, rows, ...tally.report(), passed: tally.faultyRows / rows <= maxShare };
}

interface PlannedField extends Pick<MessageField, 'hasCorrections'> {
  readonly tools: OfferedTools | undefined;
}

function plannedField({ tools, hasCorrections }: MessageField): PlannedField {
  return { tools: readTools(tools), hasCorrections };
}

/** The lists of messages of a row; of chosen columns also those that are empty or JSON text. */
function conversationsIn(
  row: Row,
  columns: readonly string[],
): readonly { readonly column: string; readonly messages: readonly Item[] }[] {
  const chosen = columns.length > 0 ? columns : Object.keys(row).filter((name) => isMessages(row[name]));
  return chosen.flatMap((column) => {
    const value: unknown = row[column];
    const messages: unknown = typeof value === 'string' ? tryParse<unknown>(value, JSON.parse) : value;
    return isItems(messages) && readMessages(messages) ? [{ column, messages }] : [];
  });
}

type Item = { readonly role: 'system' | 'user' | 'assistant' | 'tool' };

function isItems(value: unknown): value is readonly Item[] {
  return Array.isArray(value);
}

/** The findings of a conversation; their indices count the messages that are left out. */
function findingsIn(
  messages: readonly Item[],
  options: FindingOptions,
  hasCorrections = false,
): readonly TrajectoryFinding[] {
  const kept = hasCorrections ? withoutCorrections(messages) : messages;
  const findings = findingsOf(readMessages(kept) ?? [], options);
  if (kept.length === messages.length) return findings;
  return findings.map((finding) => {
    const item = kept[finding.message];
    return { ...finding, message: item ? messages.indexOf(item) : finding.message };
  });
}

/** Counts the findings of a dataset. */
class Tally {
  conversations = 0;
  faultyRows = 0;
  #lastFaulty = -1;
  readonly #kinds = new Map<FindingKind, number>();
  readonly #findings: DatasetFinding[] = [];

  add({ row, column }: Pick<DatasetFinding, 'row' | 'column'>, findings: readonly TrajectoryFinding[]): void {
    this.conversations++;
    if (findings.length === 0) return;
    if (this.#lastFaulty !== row) this.faultyRows++;
    this.#lastFaulty = row;
    for (const finding of findings) {
      this.#kinds.set(finding.kind, (this.#kinds.get(finding.kind) ?? 0) + 1);
      if (this.#findings.length < MOST_NAMED) this.#findings.push({ row, column, ...finding });
    }
  }

  report(): Pick<TrajectoryReport, 'conversations' | 'faultyRows' | 'kinds' | 'findings'> {
    const kinds = [...this.#kinds].toSorted(([, a], [, b]) => b - a);
    return {
      conversations: this.conversations,
      faultyRows: this.faultyRows,
      kinds: Object.fromEntries(kinds),
      findings: this.#findings,
    };
  }
}

// The pages of a static copy use this module too: it must not import what needs Node.
import { fieldsOf, isFields } from '@data-designer/core/json-fields';
import type { Media } from '../../api/cells.ts';
import type { ColumnInfo } from '../../api/columns.ts';
import type { TracePage } from '../../api/conversation.ts';
import type { RecordField } from '../../api/record.ts';
import { conversationCell } from '../conversation.ts';
import { type CutLimits, cutCell, IN_RECORD } from '../cut-cell.ts';
import { checkedPrograms } from './checked-programs.ts';

/** Messages of a conversation that come with the record. */
export const FIRST_MESSAGES = 20;

/** How the fields of a record are made. */
export interface FieldContext {
  /** The pictures and sounds of a value; none by default. */
  readonly mediaOf?: (column: string, value: unknown) => readonly Media[];
  readonly limits?: CutLimits;
  /** The first messages of a conversation; none by default. */
  readonly conversationOf?: (column: string, messages: readonly unknown[]) => TracePage | undefined;
}

/** The values of a row as the sections of a record show them. */
export function recordFields(
  columns: readonly Pick<ColumnInfo, 'name' | 'shown' | 'ofPrograms'>[],
  row: Readonly<Record<string, unknown>>,
  context: FieldContext = {},
): RecordField[] {
  const { mediaOf, limits = IN_RECORD, conversationOf } = context;
  return columns.map((column) => {
    const value = row[column.name];
    const isConversation = column.shown === 'conversation';
    const conversation = isConversation && Array.isArray(value) ? conversationOf?.(column.name, value) : undefined;
    return {
      column: column.name,
      value: isConversation ? conversationCell(value) : cutCell(value, limits),
      media: mediaOf?.(column.name, value) ?? [],
      scores: column.shown === 'scores' ? scoresOf(value, limits) : [],
      isValid: column.shown === 'verdict' ? verdictOf(value) : null,
      ...(column.ofPrograms && { programs: checkedPrograms(value, limits) }),
      ...(conversation && { conversation }),
    };
  });
}

function scoresOf(value: unknown, limits: CutLimits): RecordField['scores'] {
  if (!isFields(value)) return [];
  return Object.entries(value).map(([name, judged]) => {
    const { score, reasoning } = isFields(judged) ? judged : { score: judged, reasoning: '' };
    return { name, score: cutCell(score, limits), reasoning: typeof reasoning === 'string' ? reasoning : '' };
  });
}

/** The verdict of a validation; of several targets, whether all are valid. */
function verdictOf(value: unknown): boolean | null {
  const { is_valid: own } = fieldsOf(value);
  if (typeof own === 'boolean') return own;
  const verdicts = Object.values(fieldsOf(value)).map((part) => fieldsOf(part)['is_valid']);
  if (verdicts.length === 0 || !verdicts.every((one) => typeof one === 'boolean')) return null;
  return verdicts.every(Boolean);
}

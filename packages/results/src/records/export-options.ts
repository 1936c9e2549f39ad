import type { ExportChatsOptions, ExportFormat, ReviewExport } from '@data-designer/dataset';

/** The options of an export. */
export interface ExportOptions extends Omit<ExportChatsOptions, 'plan' | 'use'>, ReviewExport {
  /** Default: by the extension of the file. */
  readonly format?: ExportFormat | ConversationFormat;
  /** Exports the output of this processor instead of the rows, without conversations and reviews. */
  readonly processor?: string;
  /**
   * Whether texts that a spreadsheet would run as a formula, such as `=1+1`, begin with an apostrophe in a `csv` file.
   * Default true.
   */
  readonly escape?: boolean;
}

/** The formats of conversations. */
export const CONVERSATION_FORMATS = ['chat-jsonl', 'preference-jsonl'] as const;
export type ConversationFormat = (typeof CONVERSATION_FORMATS)[number];

/** Whether an export reads the reviews. */
export function usesReviews({ reviews, applyEdits, dropRejected, acceptedOnly }: ReviewExport): boolean {
  return reviews !== undefined || applyEdits === true || dropRejected === true || acceptedOnly === true;
}

/** An option that another one excludes, and why. */
export function exportClash(
  options: ExportOptions,
): readonly [option: keyof ExportOptions, reason: string] | undefined {
  const { format, processor, reviews, applyEdits, dropRejected, acceptedOnly } = options;
  const isChat = format === 'chat-jsonl' || format === 'preference-jsonl';
  if (processor !== undefined && isChat) {
    return ['processor', `and ${format} cannot be combined: the output of a processor has no conversations`];
  }
  if (processor !== undefined && usesReviews(options)) {
    return ['processor', 'cannot be combined with reviews: they belong to the rows of the dataset'];
  }
  if (isChat && reviews !== undefined) return ['reviews', `and ${format} cannot be combined`];
  if (isChat && applyEdits) return ['applyEdits', `and ${format} cannot be combined; preference-jsonl exports edits`];
  if (format !== 'preference-jsonl') return undefined;
  if (dropRejected) return ['dropRejected', 'has no effect with preference-jsonl, which leaves out rejected rows'];
  return acceptedOnly
    ? ['acceptedOnly', 'has no effect with preference-jsonl, which exports edited rows only']
    : undefined;
}

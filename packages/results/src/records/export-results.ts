import { checkOptions, oneOf, optionRule, type OptionRules } from '@data-designer/config';
import { DataDesignerError, type Plan } from '@data-designer/core';
import {
  exportChats,
  exportDataset,
  exportFormatOf,
  preferenceLines,
  processorTable,
  ReviewedExport,
  writeText,
} from '@data-designer/dataset';
import { EXPORT_FORMATS } from '@data-designer/dataset/formats';
import { CONVERSATION_FORMATS, exportClash, type ExportOptions, usesReviews } from './export-options.ts';

const { flag, text } = optionRule;
const EXPORT_RULES: OptionRules<ExportOptions> = {
  format: oneOf('an export format', [...EXPORT_FORMATS, ...CONVERSATION_FORMATS]),
  processor: text,
  escape: flag,
  column: text,
  reasoning: flag,
  corrections: flag,
  reviews: oneOf('a form of reviews', ['columns', 'file']),
  applyEdits: flag,
  dropRejected: flag,
  acceptedOnly: flag,
};

/** Exports a dataset to a file; throws `config/invalid` for options that exclude each other, and `dataset/*`. */
export async function exportResults(
  { path: folder, plan }: { readonly path: string; readonly plan: Plan },
  path: string,
  options: ExportOptions,
): Promise<void> {
  checkOptions(options, EXPORT_RULES, 'export()');
  const { format = exportFormatOf(path), processor, escape } = options;
  const clash = exportClash({ ...options, format });
  if (clash) {
    const [option, reason] = clash;
    const mistake = { stage: 'run', level: 'ERROR', type: 'invalid_option', path: option } as const;
    const violation = { ...mistake, message: `${option} ${reason}.`, remedy: 'Leave out one of the two.' };
    throw new DataDesignerError('config/invalid', { source: 'The call of export()', violations: [violation] });
  }
  if (format === 'chat-jsonl') await exportChats(folder, path, { ...options, plan, use: options });
  else if (format === 'preference-jsonl') await writeText(preferenceLines(folder, { ...options, plan }), path);
  else if (usesReviews(options)) await new ReviewedExport(folder, plan.fields, options).write(path, { format, escape });
  else {
    const { fields } = processor === undefined ? plan : processorTable(folder, plan, processor);
    await exportDataset({ folder, fields, processor }, path, { format, escape });
  }
}

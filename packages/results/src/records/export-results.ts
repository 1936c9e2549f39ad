import { checkOptions, oneOf, optionRule, type OptionRules } from '@data-designer/config';
import { DataDesignerError, type Plan } from '@data-designer/core';
import { exportDataset, exportFormatOf, processorTable, refuseOwnFiles } from '@data-designer/dataset';
import { ReviewedExport } from '@data-designer/dataset/reviews';
import { EXPORT_FORMATS } from '@data-designer/dataset/formats';
import { packageVersion } from '@data-designer/declaration';
import { COMPRESSIONS, compressionOf, isTrainingFormat, TRAINING_FORMATS } from '@data-designer/training/options';
import { exportClash, type ExportOptions, usesReviews } from './export-options.ts';

const { amount, callback, flag, mapping, text } = optionRule;
const TOKENS = {
  fits: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1,
  kind: 'a number of tokens',
  remedy: 'Use a whole number, 1 or more.',
};
const SEED = {
  fits: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  kind: 'a seed',
  remedy: 'Use a whole number, 0 or more.',
};
const EXPORT_RULES: OptionRules<ExportOptions> = {
  format: oneOf('an export format', [...EXPORT_FORMATS, ...TRAINING_FORMATS]),
  processor: text,
  escape: flag,
  onEscape: callback,
  column: text,
  map: mapping,
  reasoning: flag,
  corrections: flag,
  lossy: flag,
  split: mapping,
  splitBy: text,
  shuffle: SEED,
  maxTokens: TOKENS,
  minTokens: TOKENS,
  tokenCounts: text,
  tokenizer: text,
  add: mapping,
  provenance: flag,
  license: text,
  shardSize: amount,
  compression: oneOf('a compression', COMPRESSIONS),
  onExported: callback,
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
  const { format = exportFormatOf(path), processor, escape, onEscape } = options;
  const clash = await exportClash({ ...options, format });
  if (clash) {
    const [option, reason] = clash;
    const mistake = { stage: 'run', level: 'ERROR', type: 'invalid_option', path: option } as const;
    const violation = { ...mistake, message: `${option} ${reason}.`, remedy: 'Change or leave out the option.' };
    throw new DataDesignerError('config/invalid', { source: 'The call of export()', violations: [violation] });
  }
  if (isTrainingFormat(format)) {
    const { readSource, TrainingExport } = await import('@data-designer/training');
    const training = await TrainingExport.open(await readSource(folder, { plan, version: packageVersion() }), format, {
      ...options,
      use: options,
    });
    const { compression = compressionOf(path), shardSize, onExported } = options;
    const exported = await training.write(path, { compression, shardSize });
    onExported?.(exported);
  } else if (usesReviews(options))
    await new ReviewedExport(folder, plan.fields, options).write(path, { format, escape, onEscape });
  else {
    refuseOwnFiles(folder, path);
    const { fields } = processor === undefined ? plan : processorTable(folder, plan, processor);
    await exportDataset({ folder, fields, processor }, path, { format, escape, onEscape });
  }
}

import './refuse-old-node.ts';

export * from './answer-flaws.ts';
export * from './answer-markup.ts';
export * from './arrow-type.ts';
export * from './attempt-counts.ts';
export * from './cell-failure.ts';
export * from './failed-part.ts';
export { LostRowCount } from './lost-row-count.ts';
export * from './cell.ts';
export * from './characters.ts';
export * from './column-type.ts';
export * from './common-type.ts';
export * from './draw-uuid.ts';
export * from './errors.ts';
export { SHORTER_TEMPLATE, unreadableRemedy } from './errors/config-errors.ts';
export {
  type DamagedRows,
  type IncompatibleDataset,
  incompatibleReason,
  printDamage,
  printFiles,
} from './errors/dataset-errors.ts';
export { MEGABYTE } from './errors/model-errors.ts';
export { printVoid, type VoidAnswers } from './errors/run-errors.ts';
export * from './file-reason.ts';
export * from './float.ts';
export * from './functions.ts';
export * from './gateway.ts';
export * from './history.ts';
export * from './image-type.ts';
export * from './is-web-address.ts';
export * from './journal-entry.ts';
export * from './json-fields.ts';
export * from './json.ts';
export * from './listed-tool.ts';
export * from './message.ts';
export * from './plan.ts';
export type * from './select-rules.ts';
export * from './processor-type.ts';
export * from './provider-names.ts';
export * from './random.ts';
export type { Redact } from './redact/redactor.ts';
export * from './refusal-text.ts';
export * from './refuse-address.ts';
export type * from './review.ts';
export * from './secret.ts';
export * from './stop-signals.ts';
export * from './thinking.ts';
export * from './thread-entry.ts';
export * from './tool-box.ts';
export * from './tool-call.ts';
export * from './well-formed-json.ts';
export * from './tool-failure.ts';
export * from './trace-message.ts';
export * from './value-type.ts';
export * from './value.ts';
export * from './violation.ts';

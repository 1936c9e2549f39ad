import { printDamage, printFiles, printVoid } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import { pluralize } from './format-numbers.ts';

/** A run event that still matters when the run is over: something is not as it was asked for. */
export type RunRemark = Extract<
  RunEvent,
  {
    readonly type:
      | 'tool-schema-fail'
      | 'tools-change'
      | 'model-refuses-pictures'
      | 'folder-reuse'
      | 'resume-fail'
      | 'journal-void'
      | 'rows-damaged'
      | 'lost-rows-retry'
      | 'metadata-derive'
      | 'record-restore'
      | 'side-tables-restore'
      | 'usage-restore'
      | 'failures-lost'
      | 'log-fail'
      | 'merge-fail';
  }
>;

/** What happens to images that a model refuses, by their source. */
const PICTURES_GO = {
  tool: 'It gets the results of tools without their images.',
  prompt: 'Cells with images in multi_modal_context fail.',
  both: 'It gets the results of tools without their images. Cells with images in multi_modal_context may fail.',
} as const;

const REMARKS: { readonly [Type in RunRemark['type']]: (event: RunRemark & { readonly type: Type }) => string } = {
  'tool-schema-fail': ({ tool, provider }) =>
    `The tool '${tool}' of '${provider}' has an unusable schema, so its arguments are not checked.`,
  'tools-change': ({ provider, file, differences = [] }) =>
    file
      ? `The tools of '${provider}' differ from those in ${file.path}${file.listedAt === null ? '' : `, listed at ${file.listedAt}`} (${differences.join('; ')}); models still get the tools of the file. Write the file again.`
      : `The tools of '${provider}' have changed since this dataset was started; models still get the original tools.`,
  'model-refuses-pictures': ({ model, reason, source }) =>
    `The model '${model}' takes no images (${reason}). ${PICTURES_GO[source]}`,
  'folder-reuse': ({ path, hasFailures }) =>
    `An earlier run made no rows in ${path}, so the folder is used again.${hasFailures ? ' Failures of earlier runs are in failures.previous.jsonl.' : ''}`,
  'resume-fail': ({ path, reason }) => `The dataset in ${path} cannot be continued: ${reason}. Starting a new dataset.`,
  'journal-void': (event) =>
    `Journaled answers that no longer match their requests are requested again (${printVoid(event)}).`,
  'rows-damaged': (event) => `Damaged files: ${printDamage(event)}. These rows are made again.`,
  'lost-rows-retry': ({ rows, boughtAgain }) =>
    boughtAgain > 0
      ? `${pluralize(rows, 'lost row')} ${rows === 1 ? 'is' : 'are'} made again. ${boughtAgain === 1 ? 'The answer' : 'The answers'} of ${pluralize(boughtAgain, 'other cell')} ${boughtAgain === 1 ? 'was not kept and is' : 'were not kept and are'} paid for again.`
      : `${pluralize(rows, 'lost row')} ${rows === 1 ? 'is made again; only its' : 'are made again; only their'} failed and missing cells are requested.`,
  'metadata-derive': ({ path, reason }) =>
    `${path} cannot be read (${reason}); it is rebuilt from the other files of the dataset.`,
  'record-restore': ({ path, reason, from }) => `${path} cannot be used (${reason}); it is restored from ${from}.`,
  'side-tables-restore': ({ files }) =>
    `Damaged or missing files: ${printFiles(files)}. They are made again from the rows of the dataset.`,
  'usage-restore': ({ path, requests }) =>
    `${path} was damaged: it lacks ${requests} requests that metadata.json counts. These requests are counted again, but without their column.`,
  'failures-lost': ({ path, lines }) =>
    `${path} was damaged: ${lines} of its lines are gone. The counts of failed cells stay; these conversations are lost.`,
  'log-fail': ({ path, reason }) => `${path} is not continued: ${reason}`,
  'merge-fail': ({ reason }) => `The files could not be merged: ${reason} All rows are in the unmerged files.`,
};

/** Whether a run event is such a remark. */
export function isRemark(event: RunEvent): event is RunRemark {
  return Object.hasOwn(REMARKS, event.type);
}

/** What is not as it was asked for, as a text. */
export function describeRemark(event: RunRemark): string {
  const describe = REMARKS[event.type] as (one: RunRemark) => string;
  return describe(event);
}

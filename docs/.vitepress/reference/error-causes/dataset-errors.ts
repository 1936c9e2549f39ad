import type { FailureCode } from '@data-designer/core';
import { type Explained, RESUME } from './explained.ts';

/** Errors of dataset folders, servers and the environment. */
export const datasetErrors = {
  'dataset/no-media-root': {
    cause: 'A folder given as a media root does not exist or is not a folder.',
    remedy: 'Name an existing folder.',
    example: { path: 'photos', reason: 'there is no such folder' },
  },
  'dataset/lost-rows-stay': {
    cause:
      '`--retry-lost` needs a dataset whose rows can be made one by one. This is not possible if the dataset selects rows, if a column is made for all rows of a row group together, if a processor calls a function, or if a later stage of the workflow has read the rows. It is also not possible if the logs do not show which rows are lost.',
    remedy: 'Leave out `--retry-lost`. If a later stage has read the rows, use `--rerun-from`.',
    example: {
      path: 'artifacts/facts',
      reason: 'the dataset has a selection, and further candidates take the place of lost ones',
      remedy: 'Leave out --retry-lost (retryLost): a resume makes further candidates until there are enough rows.',
    },
  },
  'dataset/terminal': {
    cause: 'A finished dataset with an `after_generation` processor cannot get more rows.',
    remedy: 'Create a new dataset under another name.',
    example: { path: 'artifacts/facts', had: 100, wanted: 200 },
  },
  'dataset/no-processor': {
    cause: 'The dataset has no side table of the requested processor.',
    remedy: 'Name one of the processors that the message lists.',
    example: { path: 'artifacts/facts', processor: 'chats', known: ['chat'] },
  },
  'dataset/no-column': {
    cause: 'The dataset or preview does not have a requested column.',
    remedy: 'Name columns that the message lists.',
    example: { path: 'artifacts/facts', column: 'topik', known: ['topic', 'fact'] },
  },
  'dataset/unwritable': {
    cause: 'A file or a folder cannot be written.',
    remedy: 'Choose another folder, or change its permissions.',
    example: { path: '/data/facts', reason: 'permission denied' },
  },
  'dataset/remote': {
    cause: 'The folder of a dataset or the file of an export is an address, such as `s3://bucket/facts`.',
    remedy: 'Write to a local path, and copy the result to the address afterwards.',
    example: { path: 's3://bucket/facts' },
  },
  'dataset/no-format': {
    cause: 'The extension of an export file names no format.',
    remedy: 'Change the extension, or state the format.',
    example: { path: 'facts.xls', known: ['parquet', 'arrow', 'jsonl', 'csv'] },
  },
  'dataset/locked': {
    cause: 'Another process is using the dataset folder.',
    remedy: 'Wait until it ends, or choose another dataset name.',
    example: { path: 'artifacts/facts', owner: 'process 4711' },
  },
  'dataset/disk-full': {
    cause: 'The disk is full.',
    remedy: `Free some space, then start the command again; a run: ${RESUME}.`,
    example: { path: 'artifacts/facts' },
  },
  'dataset/incompatible': {
    cause:
      'The config, the models or the seed differ from those with which the dataset was started. The message names each changed key with both values.',
    remedy: 'Undo the change, choose another dataset name, or let `--resume if_possible` start a new dataset.',
    example: { path: 'artifacts/facts', reason: 'its seed is 7, not 8', remedy: 'Ask for the seed 7, or for none.' },
  },
  'dataset/misfit': {
    cause: 'A value does not fit the type of its column.',
    remedy: 'Make all values of the column of one type.',
    example: { column: 'age', row: 3, expected: 'an integer', found: "'unknown'" },
  },
  'dataset/missing': {
    cause: 'There is no dataset in the folder.',
    remedy: 'Check the folder and the name.',
    example: { path: 'artifacts/fact' },
  },
  'dataset/empty': {
    cause: 'The dataset has no rows to show, because none is finished or all are lost.',
    remedy: `To make rows, ${RESUME}. \`failures.jsonl\` in the folder lists lost rows.`,
    example: { path: 'artifacts/facts' },
  },
  'dataset/unfinished': {
    cause: 'The dataset is unfinished, and the operation needs a finished one.',
    remedy: `To finish it, ${RESUME}; or read the finished rows with \`unfinished: true\`.`,
    example: { path: 'artifacts/facts', made: 3, wanted: 10 },
  },
  'dataset/damaged': {
    cause: 'A file of the dataset cannot be read, or its checksum differs.',
    remedy: 'Follow the message: restore the file from a copy, or let a resume make it again.',
    example: { path: 'artifacts/facts/metadata.json', reason: 'it is not valid JSON' },
  },
  'dataset/other-version': {
    cause:
      'Another version of Data Designer wrote the dataset, in a format that this one does not know: a newer one, or one before 1.0.0.',
    remedy: 'Use that version, or create a new dataset under another name.',
    example: { path: 'artifacts/facts/run.json', version: 4, known: 1, isOfDevelopment: false },
  },
  'dataset/damaged-rows': {
    cause: 'Data files are damaged, and making their rows again would send requests. Nothing was sent.',
    remedy: 'Restore the files from a copy, or add `--re-request` to pay for these answers again.',
    example: { path: 'artifacts/facts', files: ['batch_00003.parquet'], rows: 1000, cost: 2.5 },
  },
  'dataset/no-chats': {
    cause: 'An export or a view of conversations finds none in the dataset.',
    remedy: 'Create the dataset with `with_trace: all_messages`.',
    example: { path: 'artifacts/facts', reason: 'no column stores its complete conversations' },
  },
  'dataset/not-expressible': {
    cause: 'An export of training data has content that the format cannot express, such as images or reasoning.',
    remedy: 'Choose another format, or leave them out with `--lossy`, which counts them.',
    example: {
      path: 'artifacts/facts',
      format: 'openai-ft',
      noun: 'conversations',
      found: [{ what: 'reasoning', examples: 12, row: 0 }],
      onlyReasoning: true,
    },
  },
  'dataset/no-tokenizer': {
    cause:
      'The tokenizer that counts the tokens of an export cannot be read, or does not have the format of Hugging Face.',
    remedy: 'Name the `tokenizer.json` of a model or its folder, or `o200k`.',
    example: { path: 'models/qwen/tokenizer.json', reason: 'there is no such file' },
  },
  'review/invalid': {
    cause: 'A review names a row or a column that the dataset does not have, or a value that does not fit.',
    remedy: 'Correct the review. An edit needs a value of the type of its column.',
    example: { row: 812, reason: 'column \'score\' holds int64, and the edit has the text "five"' },
  },
  'review/row-changed': {
    cause: 'A run, or another program, changed the row between its display and its review.',
    remedy: 'Load the page again and review the row that it shows.',
    example: { row: 812 },
  },
  'serve/refused': {
    cause: '`data-designer mcp serve` refuses a call of a client. The message says why.',
    remedy: 'Change the call, or the limits with which the server was started.',
    example: { reason: 'A call may make at most 10000 records; this one asks for 20000.' },
  },
  'usage/invalid': {
    cause: 'An argument or a flag of a command is unknown or missing, or has an invalid value.',
    remedy: 'Correct the command line. `--help` after the command lists its arguments and flags.',
    example: { reason: "unknown option '--jsn' (Did you mean --json?)" },
  },
  'agent/unknown-family': {
    cause: '`data-designer agent types` was asked for a family of types that does not exist.',
    remedy: 'Use one of the families that the message names.',
    example: {
      name: 'models',
      known: ['columns', 'constraints', 'environments', 'processors', 'samplers', 'seeds', 'validators'],
    },
  },
  'environment/port-in-use': {
    cause: 'The port to listen at is in use.',
    remedy: 'Choose another port, or 0 for any free one.',
    example: { port: 8321 },
  },
  'environment/cannot-listen': {
    cause: 'A server cannot listen at the address.',
    remedy: 'Choose another port or address.',
    example: { address: '127.0.0.1:80', reason: 'permission denied' },
  },
  'environment/node-too-old': {
    cause: 'The version of Node.js is too old.',
    remedy: 'Install a newer one.',
    example: { found: '20.11.0', needed: '22.12' },
  },
  'environment/not-installed': {
    cause: 'A program built by a bundler runs where the package is not installed. Bundles load the installed package.',
    remedy: 'Install it in the folder of the bundle or in the working folder: `npm install data-designer`.',
    example: { folders: ['/srv/app/dist', '/srv/app'] },
  },
  'internal/unexpected': {
    cause: 'A mistake in Data Designer or in a library that it uses.',
    remedy: 'Report it with the message and the stack trace. A run that ended this way can be resumed.',
    example: { reason: 'x is not a function' },
  },
} satisfies Partial<Record<FailureCode, Explained>>;

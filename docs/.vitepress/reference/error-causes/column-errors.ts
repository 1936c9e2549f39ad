import type { FailureCode } from '@data-designer/core';
import { type Explained } from './explained.ts';

/** Errors of columns, functions, plug-ins and validators. */
export const columnErrors = {
  'column/constraint-unmet': {
    cause: 'No drawn value of a sampler column satisfies a constraint. The rows that the message names are lost.',
    remedy: 'Change the constraint or the parameters of the sampler.',
    example: { column: 'price', constraint: 'price < 10', rows: [3], more: 0, nearest: '12.5' },
  },
  'column/not-converted': {
    cause: 'A drawn value cannot be converted to the type in `convert_to`. The rows that the message names are lost.',
    remedy: 'Change `convert_to` or the values of the sampler.',
    example: { column: 'size', value: "'large'", type: 'int', rows: [0, 4], more: 7 },
  },
  'column/bad-media': {
    cause: 'A cell that a column sends as an image, audio or video contains no such media. The cell fails.',
    remedy:
      'Check the value of the column, its `data_type` and its format. Files must be in the dataset folder or a `--media-root`.',
    example: { column: 'photo', modality: 'image', reason: 'it is empty' },
  },
  'column/no-text': {
    cause: 'A cell that an `embedding` column should embed contains no text. The cell fails.',
    remedy: 'Name a column of text in `target_column`, or skip the rows without text.',
    example: { column: 'summary', found: 'null' },
  },
  'column/bad-result': {
    cause: 'The function of a `custom` column returned a value that does not fit the column. The cell fails.',
    remedy: 'Return an object with a value for the column and for each of its side effect columns.',
    example: { column: 'grade', reason: "it has no value for 'grade'" },
  },
  'answer/pattern-timed-out': {
    cause:
      'Matching a `pattern` of a JSON Schema against one text took too long. The cell fails, and the journal records that, so that a resume does not try it again.',
    remedy: 'Rewrite the pattern without lookarounds and backreferences, or remove it from the schema.',
    example: { pattern: '^(a+)+$', limitMs: 1000 },
  },
  'cell/killed-worker': {
    cause: 'One cell ended its worker thread several times, for example by using up its memory.',
    remedy:
      "Check the column's schema, template or function with the values of the row, or set `on_failure` to continue without the row.",
    example: { column: 'grade', row: 17, cause: 'ended 2 worker threads' },
  },
  'function/threw': {
    cause: 'A function of a custom column, a processor or a validator threw an error.',
    remedy: 'Correct the function.',
    example: { function: 'grade', reason: "Cannot read properties of undefined (reading 'length')" },
  },
  'function/bad-value': {
    cause: 'A function returned a value that a dataset cannot store, such as a date object or a function.',
    remedy: 'Return text, numbers, booleans, null, arrays or plain objects.',
    example: { function: 'grade', at: 'result.when', found: 'a Date' },
  },
  'function/unavailable': {
    cause:
      'A function of a config cannot be called: its module cannot be loaded, or the dataset is used without the program that has the function. The run ends.',
    remedy: 'Correct the module, or run the dataset from the TypeScript program.',
    example: { function: 'grade', reason: 'the program that defines it is not running' },
  },
  'plugin/unusable': {
    cause: 'A plug-in cannot be loaded, or what it exports is not a plug-in.',
    remedy: 'Check that the package is installed in the working folder, and that its module exports `plugin`.',
    example: { module: 'my-plugin', reason: "it exports no 'plugin'" },
  },
  'plugin/threw': {
    cause: 'The code of a plug-in threw an error while it made a column.',
    remedy: 'Report it to the author of the plug-in. The message contains the error.',
    example: { module: 'my-plugin', column: 'shout', reason: 'x is not a function' },
  },
  'validator/failed': {
    cause:
      'The server of a `remote` validation column did not answer. The cells of the batch fail; if no request succeeds, the run ends.',
    remedy: 'Check the address in `endpoint_url`, and that the server is running.',
    example: { column: 'check', server: 'http://127.0.0.1:9000/check', reason: 'connection refused' },
  },
  'validator/bad-answer': {
    cause: 'The server of a `remote` validation column returned something other than one result for each row.',
    remedy: 'Correct the server. The message says how its answer differs.',
    example: { column: 'check', server: 'http://127.0.0.1:9000/check', reason: 'it has 9 results for 10 rows' },
  },
} satisfies Partial<Record<FailureCode, Explained>>;

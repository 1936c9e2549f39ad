import type { FailureCode } from '@data-designer/core';
import { type Explained, RESUME } from './explained.ts';

/** Errors of runs, journals and processors. */
export const runErrors = {
  'rehearsal/invalid-option': {
    cause: 'An option of `rehearse` has an invalid value.',
    remedy: 'Use a value that the message describes.',
    example: { option: 'errorRate', found: '2', wanted: 'a number from 0 to 0.5' },
  },
  'report/invalid-option': {
    cause: 'An option of a report has an invalid value.',
    remedy: 'Use a value that the message describes.',
    example: { option: 'savePath', found: 'report.pdf', wanted: 'a path that ends in .html or .svg' },
  },
  'run/aborted': {
    cause: 'A signal stopped the run: Ctrl-C, SIGTERM, or an `AbortSignal`.',
    remedy: `To make the other rows, ${RESUME}.`,
    example: { reason: 'by SIGINT' },
  },
  'run/budget-spent': {
    cause: 'The answers cost as much as `max_cost` allows. The run ends and keeps its finished rows.',
    remedy: `Raise \`max_cost\`, then ${RESUME}.`,
    example: { maxCost: 5, cost: 5.0213 },
  },
  'run/time-spent': {
    cause: 'The run took as long as `max_duration_seconds` allows. The run ends and keeps its finished rows.',
    remedy: `Raise the limit, then ${RESUME}.`,
    example: { maxDurationSeconds: 3600 },
  },
  'run/stopped-early': {
    cause: 'Too many recent cells of one column failed. The run ends and keeps its finished rows.',
    remedy: `Correct the cause that the message quotes, then ${RESUME}. \`shutdown_error_rate\` and \`disable_early_shutdown\` change the limit.`,
    example: { column: 'quiz', failed: 10, cells: 10, cause: 'the answer is not JSON' },
  },
  'run/over': {
    cause: 'The run is ending, so a row could not get further answers. Programs see it in functions that ask models.',
    remedy: `To make the unfinished rows, ${RESUME}.`,
    example: { reason: 'the run is ending' },
  },
  'run/cell-failed': {
    cause: 'A cell of a column with `on_failure: abort` failed. The run ends.',
    remedy: `Correct the cause that the message quotes, then ${RESUME}.`,
    example: { column: 'quiz', row: 17, code: 'model/gave-up', reason: 'The answer is not JSON.', messages: [] },
  },
  'run/worker-lost': {
    cause:
      'A row group lost its worker thread several times, and no single cell causes it. Usually the memory ran out.',
    remedy: `Give the threads more memory with \`NODE_OPTIONS=--max-old-space-size=8192\` or lower \`buffer_size\`, then ${RESUME}.`,
    example: { group: 4, rows: 1000, losses: 3, reason: 'it ran out of memory' },
  },
  'run/workers-lost': {
    cause: 'All worker threads ended, one after another.',
    remedy: `Check the memory and the thread limit of the machine, then ${RESUME}.`,
    example: { losses: 4, reason: 'it ran out of memory' },
  },
  'run/gateway-lost': {
    cause: 'The thread that sends requests ended.',
    remedy: `To make the other rows, ${RESUME}.`,
    example: { reason: 'it ran out of memory' },
  },
  'run/provider-failed': {
    cause: 'A built-in provider, such as the simulator, did not start.',
    remedy: 'Read the reason in the message.',
    example: { provider: 'simulator', reason: 'its process ended with code 1' },
  },
  'run/no-rows': {
    cause: 'Every row of the run was lost; the message names the column if none of its cells is valid.',
    remedy: 'Correct the failure that the message quotes. `failures.jsonl` in the dataset folder lists all of them.',
    example: {
      rows: 10,
      most: { column: 'photo', message: "Column 'photo' has no text to embed: the cell is null.", rows: 8 },
      isWholeColumn: true,
    },
  },
  'select/refused': {
    cause: 'The condition `where` of the selection is false for a candidate. The candidate is replaced.',
    remedy: 'None is needed. `keep_rejected: true` stores refused rows with their reasons.',
    example: {},
  },
  'select/reviewed': {
    cause:
      '`data-designer select` ran with `--drop-rejected` or `--accepted-only`, and a reviewer rejected the row or did not accept it.',
    remedy: 'None is needed. `reviews.jsonl` in the dataset folder has the reviews.',
    example: {},
  },
  'select/duplicate': {
    cause:
      'A rule in `unique` of the selection finds a candidate too similar to an earlier row. The candidate is replaced.',
    remedy: 'None is needed. To accept more candidates, raise the threshold of the rule or draw more varied values.',
    example: { rule: 'minhash', column: 'question', folder: '' },
  },
  'select/benchmark': {
    cause: 'A candidate contains an item of a file in `not_in` of the selection. The candidate is replaced.',
    remedy: 'None is needed.',
    example: { file: 'bench/gsm8k.jsonl' },
  },
  'select/balance': {
    cause:
      'With this candidate, the share of a value would be higher than `max_share` in `balance`. The candidate is replaced.',
    remedy: 'None is needed. Draw the values of the column more evenly to accept more candidates.',
    example: { column: 'topic' },
  },
  'select/exhausted': {
    cause:
      'A selection accepted fewer rows than requested among its `max_candidates`, or none among the first 1,000 candidates. The accepted rows are saved.',
    remedy:
      'Read the reasons in the message and in `metadata.json`. If some rows were accepted, raise `max_candidates` and resume. Otherwise correct the rules in a new dataset: a resume uses the same rules. With `on_exhausted: keep`, the run ends with exit code 0 and fewer rows.',
    example: {
      wanted: 6,
      accepted: 2,
      candidates: 6,
      most: 6,
      isHopeless: false,
      reason: "4 of the others: The condition 'where' is false",
    },
  },
  'select/too-few': {
    cause:
      '`data-designer select` accepted fewer rows of a finished dataset than requested, or none. It saves the accepted ones.',
    remedy:
      'Read the reasons in the output and in `metadata.json`. Loosen the rules, ask for fewer rows, or write `on_exhausted: keep` in the file of the rules, so that the command ends with exit code 0 and fewer rows.',
    example: {
      path: 'artifacts/facts',
      wanted: 6,
      accepted: 2,
      decided: 6,
      reason: "4 of the others: The condition 'where' is false",
    },
  },
  'select/unfinished': {
    cause: '`data-designer clean` would delete candidates of an unfinished dataset, with answers that are paid for.',
    remedy: 'Resume the dataset first, or add `--force`.',
    example: { path: 'artifacts/facts', made: 60, wanted: 100 },
  },
  'select/cleaned': {
    cause: 'A run cannot add rows to a dataset with `select` after its candidates were deleted.',
    remedy: 'Make a new dataset and name this one in `unique_against` of its selection.',
    example: { path: 'artifacts/facts' },
  },
  'workflow/invalid': {
    cause: 'A workflow or one of its stages is declared wrongly, or an option of its run names an unknown stage.',
    remedy: 'Correct what the message names.',
    example: { workflow: 'qa', stage: 'items', reason: "expand: the column 'topic' is not a list" },
  },
  'workflow/changed': {
    cause: 'With `resume: always`, a stage has another config, another input or other rows than when it was made.',
    remedy: 'Undo the change, or use `resume: if_possible`, which makes the stage and later stages again.',
    example: { workflow: 'qa', stage: 'questions', reason: 'its config has changed' },
  },
  'workflow/no-rows': {
    cause: 'A stage has no input rows: the lists that it expands are all empty, or no rows have equal keys in a join.',
    remedy: 'Change the stages that it reads, or its `expand` or `join`.',
    example: { workflow: 'qa', stage: 'items', reason: "every list of 'questions' is empty" },
  },
  'workflow/map-failed': {
    cause:
      'The `map` function of a stage threw, returned no rows, or returned a row that does not have the columns of the output.',
    remedy:
      'Correct the function, its `outputFormat` or its `allowEmpty`, and resume; the rows of the stage are saved.',
    example: { workflow: 'qa', stage: 'questions', reason: 'it threw after it read row 12: no topic' },
  },
  'workflow/no-stage': {
    cause: 'A program asks for the result of a stage that the workflow does not have, or did not make in this run.',
    remedy: 'Name a stage of the workflow that is among the targets of the run.',
    example: { workflow: 'qa', stage: 'item', known: ['chunks', 'items'] },
  },
  'journal/ends': {
    cause:
      'A dry replay, which sends no request, needs an answer that is not in the journal. Users do not see this error.',
    remedy: 'None is needed.',
    example: {},
  },
  'journal/void': {
    cause:
      'A setting has changed, so the stored answers do not match the requests of the resumed run. Nothing was sent.',
    remedy: 'Restore the setting, or add `--re-request` to pay for these answers again.',
    example: { path: 'artifacts/facts', answers: 12, cost: 0.4, columns: [{ column: 'quiz', answers: 12 }] },
  },
  'processor/lost-row': {
    cause:
      'A processor that writes a side table cannot make one row. This row is lost in all tables; the other rows are written.',
    remedy:
      'Correct the template for such rows, and make a new dataset. A dataset with rows cannot be continued with a changed template.',
    example: {
      processor: 'chat',
      row: 3,
      code: 'template/record',
      reason: "A template cannot be rendered with this row: 'x' is missing.",
    },
  },
  'processor/no-rows': {
    cause:
      'A processor that writes a side table cannot make any row of the first finished row group. The run ends, nothing is written, and the answers are saved.',
    remedy: `Correct the processor, then ${RESUME}. A dataset without rows may be continued with other processors of the stage post_batch.`,
    example: { rows: 1000, reason: "The processor 'chat' cannot make row 0 (template/record): 'x' is missing" },
  },
  'processor/failed': {
    cause: 'A processor failed. The run ends; nothing of the row group is written, and its answers are saved.',
    remedy: `Correct the processor, then ${RESUME}.`,
    example: {
      processor: 'chat',
      row: 3,
      code: 'template/record',
      reason: "A template cannot be rendered with this row: 'x' is missing.",
    },
  },
  'processor/changed-rows': {
    cause: 'A processor returned another number of rows than it received, at a stage where it must not.',
    remedy: 'Return as many rows, or use the stage `after_generation`.',
    example: { processor: 'filter', stage: 'post_batch', given: 1000, made: 912 },
  },
  'processor/bad-rows': {
    cause: 'A processor returned rows that the dataset cannot store.',
    remedy: 'Return rows with the same columns and types.',
    example: { processor: 'clean', reason: "row 2 has no column 'age'" },
  },
} satisfies Partial<Record<FailureCode, Explained>>;

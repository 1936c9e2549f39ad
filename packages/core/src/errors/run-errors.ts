import type { ChatMessage } from '../message.ts';
import { afterEnd, type EndsRun, type Failure, permanent, recorded, toCorrect } from './failure.ts';
import { failedCells, failedPart } from '../failed-part.ts';
import { knownNames } from '../violation.ts';

/** Journaled answers that no longer match the requests of the run. */
export interface VoidAnswers {
  readonly answers: number;
  /** Their cost in the currency of the prices; null if any of them has no price. */
  readonly cost: number | null;
  readonly columns: readonly { readonly column: string; readonly answers: number }[];
}

/** Lists void answers by column, with their cost if known. */
export function printVoid({ columns, cost }: VoidAnswers): string {
  const counts = columns.map(({ column, answers }) => `column '${column}': ${answers}`).join(', ');
  return cost === null ? counts : `${counts}; total cost ${Number(cost.toPrecision(6))}`;
}

/** A run that lost all its rows. */
export interface NoRows {
  readonly rows: number;
  /** The failure that lost the most rows, with its first message; absent if an earlier run lost all rows. */
  readonly most?: {
    readonly column: string;
    readonly message: string;
    readonly rows: number;
    readonly code?: string;
  };
  /** The rows that processors of the whole dataset removed, if they left none. */
  readonly removed?: number;
  /** Whether failures of its column lost all rows. */
  readonly isWholeColumn: boolean;
}

/** Names a column without a valid cell, as NeMo Data Designer does, and quotes the most frequent failure. */
function sayNoRows({ rows, most, removed, isWholeColumn }: NoRows): string {
  if (removed !== undefined) {
    return `The processors removed all ${removed} rows after generation. Correct them, and create the dataset under another name.`;
  }
  if (!most) return `All ${rows} rows failed in an earlier run. Create the dataset under another name.`;
  const what = isWholeColumn
    ? `${failedPart(most.column, most.code).replace(/^./, (letter) => letter.toUpperCase())} produced no valid rows`
    : rows === 1
      ? 'The only row failed'
      : `All ${rows} rows failed`;
  const where = isWholeColumn || most.column === '' ? '' : `, ${failedPart(most.column, most.code)}`;
  const which =
    most.rows === rows
      ? rows === 1
        ? 'failure'
        : `first of ${rows} failures`
      : `most frequent failure (${most.rows} of ${rows} rows${where})`;
  return `${what}. The ${which}: ${most.message}`;
}

function raiseLimit(which: string, setting: string, end: EndsRun): string {
  const saved = `${which} answers are saved; raise the run setting '${setting}' and resume.`;
  return afterEnd(end, { saved, preview: `Raise the run setting '${setting}', or preview fewer rows.` });
}

/** What duplicates have in common, by the rule of a selection. */
const SIMILAR: Readonly<Record<string, string>> = {
  exact: 'the same text',
  minhash: 'a similar text',
  embedding: 'a similar embedding',
};

/** What to do about an expression that fails. */
const FIX_EXPRESSION = "correct 'where', or let it allow for such rows, as in (score is defined and score > 3)";

/** A run that ended because too many cells of a column failed. */
export interface StoppedEarly extends EndsRun {
  readonly column: string;
  readonly failed: number;
  readonly cells: number;
  readonly cause: string;
  readonly code?: string;
  /** Whether the cells fail again as long as the config and the values stay. */
  readonly failsAgain?: true;
}

/** Errors of runs, journals, processors, estimates and reports. */
export const runErrors = {
  'rehearsal/invalid-option': permanent(
    (d: { option: string; found: string; wanted: string }) =>
      `The rehearsal option ${d.option} cannot be '${d.found}'. Use ${d.wanted}.`,
  ),
  'report/invalid-option': permanent(
    (d: { option: string; found: string; wanted: string }) =>
      `The option ${d.option} cannot be '${d.found}'. Use ${d.wanted}.`,
  ),
  'run/aborted': permanent((_: { reason: string }) => `The run was stopped: ${_.reason}.`),
  'run/budget-spent': permanent(
    (d: { maxCost: number; cost: number } & EndsRun) =>
      `The budget of ${d.maxCost} is spent: the answers cost ${Number(d.cost.toPrecision(6))}. ${raiseLimit('All', 'max_cost', d)}`,
  ),
  'run/time-spent': permanent(
    (d: { maxDurationSeconds: number } & EndsRun) =>
      `The run reached its time limit of ${d.maxDurationSeconds} s. ${raiseLimit('Finished', 'max_duration_seconds', d)}`,
  ),
  'run/stopped-early': permanent(
    (d: StoppedEarly) =>
      `${d.failed} of the last ${failedCells(String(d.cells), d.column, d.code)} failed${d.cause ? `: ${d.cause.replace(/\.$/, '')}` : ''}. Correct the cause${afterEnd(d, { saved: d.failsAgain ? ', and create the dataset under another name' : ' and resume with --retry-lost (retryLost: true)', preview: '' })}; to allow more failures, change the run settings 'shutdown_error_rate' and 'disable_early_shutdown'.`,
  ),
  'run/over': permanent((_: { reason: string }) => `The run sends no more requests: ${_.reason}.`),
  'run/cell-failed': permanent(
    (d: { column: string; row: number; code: string; reason: string; messages: readonly ChatMessage[] } & EndsRun) =>
      `The cell of ${failedPart(d.column, d.code)} in row ${d.row} failed (${d.code}), and on_failure: abort ends the run: ${d.reason} ${toCorrect('cause', d)}`,
  ),
  'run/worker-lost': permanent(
    (d: { group: number; rows: number; losses: number; reason: string }) =>
      `Row group ${d.group} lost its worker thread ${d.losses} times; the last reason: ${d.reason}. No single cell is the cause. The group's ${d.rows} rows are unfinished; their answers are saved. Resume the dataset (--resume always); if memory ran out, give the threads more with NODE_OPTIONS=--max-old-space-size.`,
  ),
  'cell/killed-worker': recorded(
    (d: { column: string; row: number; cause: string }) =>
      `Column '${d.column}', row ${d.row}: the cell ${d.cause}. A resume does not run this cell again. Check the column's schema, template or function with the values of this row, or set on_failure to continue without the row.`,
  ),
  'run/workers-lost': permanent(
    (d: { losses: number; reason: string }) =>
      `No worker thread is left: ${d.losses === 1 ? '1 thread' : `${d.losses} threads`} ended; the last reason: ${d.reason}. Finished rows and answers are saved. Check the memory and the thread limit of the machine, then resume the dataset (--resume always).`,
  ),
  'run/gateway-lost': permanent(
    (d: { reason: string }) =>
      `The I/O thread, which talks to models and tools, ended: ${d.reason}. Finished rows and answers are saved; resume the dataset (--resume always).`,
  ),
  'run/provider-failed': permanent(
    (d: { provider: string; reason: string }) => `The built-in provider '${d.provider}' did not start: ${d.reason}.`,
  ),
  'run/no-rows': permanent(sayNoRows),
  'select/refused': permanent((_: Readonly<Record<string, never>>) => "The condition 'where' is false."),
  'select/reviewed': permanent(
    (_: Readonly<Record<string, never>>) => 'A reviewer rejected the row, or has not accepted it.',
  ),
  'select/duplicate': permanent(
    (d: { rule: string; column: string; folder: string }) =>
      `${d.folder === '' ? 'An earlier row' : `A row of the dataset ${d.folder}`} has ${SIMILAR[d.rule] ?? 'a similar value'} in column '${d.column}'.`,
  ),
  'select/benchmark': permanent((d: { file: string }) => `The row contains an item of the benchmark ${d.file}.`),
  'select/balance': permanent(
    (d: { column: string }) => `Enough accepted rows already have the value of this row in column '${d.column}'.`,
  ),
  'select/exhausted': permanent(
    (d: {
      readonly wanted: number;
      readonly accepted: number;
      readonly candidates: number;
      /** The given `max_candidates`; null for the default. */
      readonly most: number | null;
      readonly isHopeless: boolean;
      readonly reason: string;
      readonly isFault?: boolean;
      /** Whether the reason is a failure, and not a decision of a rule. */
      readonly isLoss?: boolean;
      /** The failure of all candidates, if they all have the same one. */
      readonly cause?: string | undefined;
    }) => {
      const why = d.reason === '' ? '' : ` (${d.reason.replace(/\.$/, '')})`;
      const limit = d.most === null && !d.isHopeless ? ', the default limit of 3 for each requested row' : '';
      if (d.isFault) {
        const none = `Only ${d.accepted} of ${d.wanted} rows were accepted among ${d.candidates} candidates`;
        return `${none}${limit}${why}. That is an error of the expression, not a decision: ${FIX_EXPRESSION} and make a new dataset.`;
      }
      if (d.cause !== undefined) {
        return `All ${d.candidates} candidates failed for one reason: ${d.cause.replace(/\.$/, '')}. Correct this cause in a new dataset: further candidates would fail in the same way.`;
      }
      if (d.accepted === 0) {
        const more = d.isHopeless ? '' : ", or raise 'max_candidates' in 'select' and continue with --resume always";
        return `None of the first ${d.candidates} candidates was accepted${limit}${why}. Correct ${d.isLoss ? 'the causes of the failures' : 'the rules or the columns that they read'} in a new dataset${more}.`;
      }
      return `Only ${d.accepted} of ${d.wanted} rows were accepted among ${d.candidates} candidates${limit}${why}. The accepted rows are saved. Raise 'max_candidates' in 'select' and continue with --resume always, or ${d.isLoss ? 'correct the causes of the failures' : 'loosen the rules'} in a new dataset.`;
    },
  ),
  'select/too-few': permanent(
    (d: {
      readonly path: string;
      readonly wanted: number;
      readonly accepted: number;
      readonly decided: number;
      readonly reason: string;
      /** Whether most of the others were refused by an error of the expression, not by its value. */
      readonly isFault?: boolean;
    }) => {
      const why = d.reason === '' ? '' : ` (${d.reason.replace(/\.$/, '')})`;
      if (d.isFault) {
        const found = d.accepted === 0 ? 'No dataset was written' : 'The accepted rows are saved';
        const none = d.accepted === 0 ? `None of the ${d.decided}` : `Only ${d.accepted} of the ${d.decided}`;
        return `${none} rows of ${d.path} ${d.accepted > 1 ? 'were' : 'was'} accepted${why}. ${found}. That is an error of the expression, not a decision: ${FIX_EXPRESSION}.`;
      }
      return d.accepted === 0
        ? `None of the ${d.decided} rows of ${d.path} was accepted${why}. No dataset was written. Loosen the rules.`
        : `Only ${d.accepted} of ${d.wanted} rows were accepted among the ${d.decided} rows of ${d.path}${why}. They are saved. Loosen the rules, or ask for fewer rows.`;
    },
  ),
  'select/unfinished': permanent(
    (d: { path: string; made: number; wanted: number }) =>
      `${d.path} has ${d.made} of ${d.wanted} rows, and its candidates hold answers that a resume needs. Resume the dataset first, or use --force to delete the candidates anyway.`,
  ),
  'select/cleaned': permanent(
    (d: { path: string }) =>
      `The candidates of ${d.path} were deleted, so no rows can be added. Make a new dataset, and name this dataset in its 'unique_against'.`,
  ),
  'workflow/invalid': permanent(
    (d: { workflow: string; stage?: string; reason: string }) =>
      `The workflow '${d.workflow}' cannot run: ${d.stage === undefined ? '' : `stage '${d.stage}': `}${d.reason.replace(/[^.?]$/, '$&.')} Correct it and run the workflow again.`,
  ),
  'workflow/changed': permanent(
    (d: { workflow: string; stage: string; reason: string }) =>
      `Stage '${d.stage}' of the workflow '${d.workflow}' cannot be continued: ${d.reason}. Undo the change, or make the stage and later stages again with resume: 'if_possible' (--resume if_possible), which keeps the old folder under another name.`,
  ),
  'workflow/no-rows': permanent(
    (d: { workflow: string; stage: string; reason: string }) =>
      `Stage '${d.stage}' of the workflow '${d.workflow}' has no input rows: ${d.reason}. Change the stages that it reads, or its expand or join.`,
  ),
  'workflow/map-failed': permanent(
    (d: { workflow: string; stage: string; reason: string }) =>
      `The map function of stage '${d.stage}' of the workflow '${d.workflow}' failed: ${d.reason.replace(/\.$/, '')}. The rows of the stage are saved. Correct the function and resume.`,
  ),
  'workflow/no-stage': permanent(
    (d: { workflow: string; stage: string; known: readonly string[] }) =>
      `The workflow '${d.workflow}' has no result of a stage '${d.stage}'. ${knownNames(d.stage, d.known)}`,
  ),
  'journal/ends': permanent(
    (_: Readonly<Record<string, never>>) =>
      'The journal has no answer to this request, and a dry replay sends no requests.',
  ),
  'journal/void': permanent((d: VoidAnswers & { path: string }) => {
    const count = `${d.answers} journaled ${d.answers === 1 ? 'answer' : 'answers'} in ${d.path} no longer ${d.answers === 1 ? 'matches its request' : 'match their requests'} (${printVoid(d)})`;
    return `${count}: a setting that shapes requests has changed, such as a provider's extra_body or a run setting. Later answers that depend on them are not counted. Nothing was sent, and all answers are kept. Restore the setting and resume, or re-request these answers with --re-request (reRequest: true).`;
  }),
  'processor/lost-row': permanent(
    (d: { processor: string; row: number; code: string; reason: string }) =>
      `The processor '${d.processor}' cannot make row ${d.row} (${d.code}): ${d.reason.replace(/\.$/, '')}.`,
  ),
  'processor/no-rows': permanent(
    (d: { rows: number; reason: string } & EndsRun) =>
      `A processor cannot make any of the first ${d.rows} rows. The first: ${d.reason.replace(/\.$/, '')}. ${afterEnd(d, { saved: 'Nothing is written, and finished answers are saved; correct the processor and resume.', preview: 'Correct the processor.' })}`,
  ),
  'processor/failed': permanent(
    (d: { processor: string; row: number | null; code: string; reason: string } & EndsRun) =>
      `The processor '${d.processor}' failed${d.row === null ? '' : ` at row ${d.row}`} (${d.code}): ${d.reason} ${toCorrect('processor', d)}`,
  ),
  'processor/changed-rows': permanent(
    (d: { processor: string; stage: string; given: number; made: number } & EndsRun) =>
      `The processor '${d.processor}' received ${d.given} rows and returned ${d.made}: at stage ${d.stage} it must return as many as it receives. ${toCorrect('processor', d)}`,
  ),
  'processor/bad-rows': permanent(
    (d: { processor: string; reason: string } & EndsRun) =>
      `The processor '${d.processor}' returned rows that the dataset cannot store: ${d.reason}. ${toCorrect('processor', d)}`,
  ),
} as const satisfies Record<string, Failure<never>>;

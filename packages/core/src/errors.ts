import type { ChatMessage } from './message.ts';
import { printPlace, printViolation, printViolations, type TextPosition, type Violation } from './violation.ts';

interface Failure<Data> {
  readonly say: (data: Data) => string;
  readonly retryable: boolean;
  /** Whether the journal records the failed cell, because another attempt may end differently. */
  readonly recorded?: boolean;
}

/** A permanent failure: a retry would fail the same way. */
const permanent = <Data>(say: (data: Data) => string): Failure<Data> => ({ say, retryable: false });
/** A transient failure: a retry may succeed. */
const transient = <Data>(say: (data: Data) => string): Failure<Data> => ({ say, retryable: true });

/** A cell failure that depends on the machine: the journal records it so that a replay fails the same way. */
const recorded = <Data>(say: (data: Data) => string): Failure<Data> => ({ say, retryable: false, recorded: true });

/** Data of a failure that may concern every request to the model. */
interface ForAll {
  /** Every other request to the model would fail the same way. */
  readonly forAll?: boolean;
}

/** The closing sentence when a reachable endpoint has failed every request of the run. */
function printForAll({ forAll }: ForAll): string {
  return forAll
    ? ' No request of this run has succeeded. Finished answers are saved; resume once the endpoint works.'
    : '';
}

/** Data of a refusal by an endpoint that has not yet answered any request. */
interface Sent {
  /** The model name and the key that the request carried, as text. */
  readonly sent?: string | undefined;
}

function printSent({ sent }: Sent): string {
  return sent === undefined ? '' : ` The request carried ${sent}.`;
}

/** Bytes per megabyte of `max_answer_mb`. */
export const MEGABYTE = 1_000_000;

/** The remedy for invalid answers, by the reason they were truncated. */
const TRUNCATION_REMEDIES = {
  'max-tokens': "An answer reached its token limit: raise the model's 'max_tokens'.",
  'context-window': 'An answer filled the context of the model: shorten the prompt.',
  none: 'Simplify the requested output, allow more corrections, or use a stronger model.',
} as const;

/** Lists row numbers (from 0) and says how many more there are. */
function printRows({ rows, more }: { readonly rows: readonly number[]; readonly more: number }): string {
  const named = `${rows.length + more === 1 ? 'row' : 'rows'} ${rows.join(', ')}`;
  return more === 0 ? named : `${named} and ${more} more`;
}

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

/** Rows of a dataset that cannot be read any more. */
export interface DamagedRows {
  /** The dataset's folder. */
  readonly path: string;
  /** The damaged files, relative to it. */
  readonly files: readonly string[];
  /** Rows to regenerate. */
  readonly rows: number;
  /** The approximate cost of their answers in the currency of the prices; null if unknown. */
  readonly cost: number | null;
}

/** Says how many rows are damaged, in which files, and the cost of regenerating them. */
export function printDamage({ rows, files, cost }: DamagedRows): string {
  const named = files.length > 3 ? `${files.slice(0, 3).join(', ')} and ${files.length - 3} more` : files.join(', ');
  const price = cost === 0 ? 'nothing' : cost === null ? 'an unknown amount' : `about ${Number(cost.toPrecision(6))}`;
  return `${rows} ${rows === 1 ? 'row' : 'rows'} (${named}; regenerating them costs ${price})`;
}

/** A dataset that a run cannot continue, because the run would make other rows. */
export interface IncompatibleDataset {
  /** The dataset's folder. */
  readonly path: string;
  readonly reason: string;
  /** How to make the run fit the dataset; undoing the change if absent. */
  readonly remedy?: string;
  /** The changed keys of the config, with their places. */
  readonly changes?: readonly Violation[];
}

/** Why a dataset cannot be continued, in one line with the first change. */
export function incompatibleReason({ reason, changes = [] }: IncompatibleDataset): string {
  const [first] = changes;
  if (!first) return reason;
  const { frame: _, ...place } = first;
  const said = printViolation({ ...place, remedy: '' }).replace(/\.$/, '');
  const more = changes.length - 1;
  return `${reason}: ${said}${more > 0 ? `, and ${more} more ${more === 1 ? 'change' : 'changes'}` : ''}`;
}

/** The place in a code config, or in a module that it imports. */
function printCodePlace({
  path,
  file = path,
  line,
  column,
}: {
  readonly path: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}): string {
  if (line === undefined) return file === path ? '' : ` (in ${file})`;
  return ` (${file}:${line}${column === undefined ? '' : `:${column}`})`;
}

/** Every failure of the project by code, with its message: what failed, where, and what to do. */
const FAILURES = {
  'config/unreadable': permanent(
    (d: {
      path: string;
      reason: string;
      /** The place in the text where the parser stopped. */
      position?: TextPosition;
      /** What to do; for a hint such as a missing quote. */
      remedy?: string;
      /** The lines of the text around the place. */
      frame?: string;
    }) => {
      const place = d.position ? printPlace(d.path, d.position) : d.path;
      const told = `Cannot read ${place}: ${d.reason}.${d.remedy ? ` ${d.remedy}` : ''}`;
      return d.frame ? `${told}\n${d.frame}` : told;
    },
  ),
  'config/code-failed': permanent(
    (d: { path: string; reason: string; remedy: string; file?: string; line?: number; column?: number }) =>
      `Cannot load the config ${d.path}: ${d.reason}${printCodePlace(d)}. ${d.remedy}`,
  ),
  'config/invalid': permanent((d: { source: string; violations: readonly Violation[] }) => {
    const count = d.violations.length;
    return `${d.source} has ${count} ${count === 1 ? 'mistake' : 'mistakes'}:\n${printViolations(d.violations)}`;
  }),
  'secret/missing': permanent(
    (d: { name: string; owner: string }) =>
      `${d.owner} needs the environment variable ${d.name}, which is not set. Set it and start again.`,
  ),
  'template/syntax': permanent(
    (d: { reason: string; line: number; column: number }) =>
      `Template syntax error at line ${d.line}, column ${d.column}: ${d.reason}.`,
  ),
  'template/refused': permanent(
    (d: { construct: string; remedy: string }) => `Templates may not use ${d.construct}. ${d.remedy}`,
  ),
  'template/unsupported-filter': permanent(
    (d: { filter: string; known: readonly string[] }) =>
      `The template filter '${d.filter}' is not supported. Supported: ${d.known.join(', ')}.`,
  ),
  'template/empty-render': permanent(
    (d: { template: string; culprits: readonly string[] }) =>
      `The template '${d.template}' rendered as empty text; empty or missing: ${d.culprits.join(', ') || 'unknown'}.`,
  ),
  'template/record': permanent((d: { reason: string }) => `A template cannot render this record: ${d.reason}.`),
  'template/limit': permanent(
    (d: { what: string; limit: number }) => `A template exceeded its limit: ${d.what} (at most ${d.limit}).`,
  ),
  'column/constraint-unmet': permanent(
    (d: { column: string; constraint: string; rows: readonly number[]; more: number; nearest: string }) =>
      `Column '${d.column}': no drawn value satisfies ${d.constraint} in ${printRows(d)}. The nearest value is ${d.nearest}. Change the constraint or the parameters.`,
  ),
  'column/not-converted': permanent(
    (d: { column: string; value: string; type: string; rows: readonly number[]; more: number }) =>
      `Column '${d.column}': the value ${d.value} cannot be converted to '${d.type}' in ${printRows(d)}.`,
  ),
  'model/rate-limited': transient(
    (d: { model: string; reason?: string } & ForAll) =>
      `The endpoint of model '${d.model}' keeps returning "too many requests" (429)${d.reason ? `: ${d.reason}` : ''}. ${d.forAll ? 'No request has succeeded within the time limit of a call. Finished answers are saved. Resume later, lower' : "Raise 'total_timeout' in its inference parameters, lower"} 'max_parallel_requests', or ask the provider for a higher limit.`,
  ),
  'model/timed-out': transient(
    (
      d: {
        model: string;
        timeoutMs: number;
        /** The time limit of the whole call, if that ended before the time limit of its last attempt. */
        deadlineMs?: number;
      } & ForAll,
    ) =>
      `Model '${d.model}' did not answer within ${d.deadlineMs === undefined ? `${d.timeoutMs} ms` : `the call's limit of ${d.deadlineMs} ms`}. Raise '${d.deadlineMs === undefined ? 'timeout' : 'total_timeout'}' in its inference parameters.${printForAll(d)}`,
  ),
  'model/unreachable': transient(
    (d: { model: string; reason: string } & ForAll) =>
      `The endpoint of model '${d.model}' ${d.forAll ? 'has never responded' : 'cannot be reached'}: ${d.reason}. Check that it is running and that the address is correct.${d.forAll ? ' Finished answers are saved.' : ''}`,
  ),
  'model/server-error': transient(
    (d: { model: string; status: number; reason: string } & Sent & ForAll) =>
      `The endpoint of model '${d.model}' failed with status ${d.status}: ${d.reason}.${printSent(d)}${printForAll(d)}`,
  ),
  'model/unauthorized': permanent(
    (d: { model: string; status: number; reason: string } & Sent) =>
      `The endpoint of model '${d.model}' denied access (status ${d.status}): ${d.reason}.${printSent(d)} Check the key and the account. Finished answers are saved.`,
  ),
  'model/permission-denied': permanent(
    (d: { model: string; status: number; reason: string } & Sent) =>
      `The key has no permission to use model '${d.model}' (status ${d.status}): ${d.reason}.${printSent(d)} Ask the provider for access, or use another model. Finished answers are saved.`,
  ),
  'model/quota-exceeded': permanent(
    (d: { model: string; status: number; reason: string }) =>
      `The account for model '${d.model}' has no credit left (status ${d.status}): ${d.reason}. Add credit, or use another provider. Finished answers are saved.`,
  ),
  'model/not-found': permanent(
    (d: { model: string; status: number; reason: string } & Sent) =>
      `The endpoint of model '${d.model}' refused the request with status ${d.status}: ${d.reason}.${printSent(d)} Check the model name and the endpoint address.`,
  ),
  'model/context-exceeded': permanent(
    (d: { model: string; status: number; reason: string }) =>
      `The request exceeds the context of model '${d.model}' (status ${d.status}): ${d.reason}. Shorten the prompt or the tool results, or use a model with a longer context.`,
  ),
  'model/unprocessable': permanent(
    (d: { model: string; status: number; reason: string }) =>
      `The endpoint of model '${d.model}' cannot process the request (status ${d.status}): ${d.reason}. Check the inference parameters, extra_body and the media in the prompt.`,
  ),
  'model/unsupported-parameter': permanent(
    (d: { model: string; status: number; reason: string }) =>
      `Model '${d.model}' does not support one of the parameters (status ${d.status}): ${d.reason}. Remove it from the inference parameters or extra_body.`,
  ),
  'model/rejected': permanent(
    (d: { model: string; status: number; reason: string; remedy?: string } & Sent) =>
      `The endpoint of model '${d.model}' refused the request with status ${d.status}: ${d.reason}.${d.remedy ? ` ${d.remedy}` : ''}${printSent(d)}`,
  ),
  'model/unsupported-capability': permanent(
    (d: { model: string; capability: string; protocol: string }) =>
      `Model '${d.model}' cannot ${d.capability}: the protocol of its provider (${d.protocol}) does not support it. Use a model of another provider.`,
  ),
  'model/no-picture': permanent(
    (d: { model: string; reason: string }) =>
      `Model '${d.model}' returned no image: ${d.reason}. Check that the model generates images.`,
  ),
  'model/unusable-provider': permanent(
    (d: { provider: string; reason: string; remedy: string }) =>
      `Model provider '${d.provider}' cannot be used: ${d.reason}. ${d.remedy}`,
  ),
  'model/not-listed': permanent(
    (d: { provider: string; reason: string; remedy: string }) =>
      `Cannot list the models of provider '${d.provider}': ${d.reason}. ${d.remedy}`,
  ),
  'model/not-ready': permanent(
    (d: { alias: string; reason: string }) => `The model '${d.alias}' failed its test. ${d.reason}`,
  ),
  'model/bad-answer': permanent(
    (d: { model: string; reason: string } & ForAll) =>
      `Model '${d.model}' returned an unusable answer: ${d.reason}.${printForAll(d)}`,
  ),
  'model/no-choice': permanent(
    (d: { model: string; reason: string; attempts: number } & ForAll) =>
      `Model '${d.model}' returned no usable choice in ${d.attempts} ${d.attempts === 1 ? 'answer' : 'answers'} with status 200: ${d.reason}. Check the endpoint; it may charge for these answers.${printForAll(d)}`,
  ),
  'model/answer-too-long': permanent(
    (d: { model: string; maxBytes: number }) =>
      `Model '${d.model}' returned an answer longer than ${d.maxBytes / MEGABYTE} MB. If that is intended, raise 'max_answer_mb' in its inference parameters.`,
  ),
  'model/gave-up': permanent(
    (d: {
      model: string;
      reason: string;
      corrections: number;
      restarts: number;
      /** Why answers of the last conversation were truncated, if any were. */
      truncation?: 'max-tokens' | 'context-window' | null;
    }) =>
      `Model '${d.model}' returned no valid answer after ${d.corrections} corrections and ${d.restarts} restarts: ${d.reason.replace(/\.$/, '')}. ${TRUNCATION_REMEDIES[d.truncation ?? 'none']}`,
  ),
  'model/no-final-answer': permanent(
    (d: { model: string; turns: number }) =>
      `Model '${d.model}' still called tools after its ${d.turns} turns. Raise 'max_tool_call_turns' or change the prompt.`,
  ),
  'answer/pattern-timed-out': recorded(
    (d: { pattern: string; limitMs: number }) =>
      `The schema's pattern '${d.pattern.length > 200 ? `${d.pattern.slice(0, 200)}…` : d.pattern}' took longer than ${d.limitMs} ms on one text. Rewrite the pattern without lookarounds and backreferences, or remove it from the schema.`,
  ),
  'column/bad-media': permanent(
    (d: { column: string; modality: string; reason: string }) =>
      `The value of column '${d.column}' cannot be sent to a model as ${d.modality}: ${d.reason}.`,
  ),
  'column/no-text': permanent(
    (d: { column: string; found: string }) => `Column '${d.column}' holds no text to embed: the cell is ${d.found}.`,
  ),
  'column/bad-result': permanent(
    (d: { column: string; reason: string }) =>
      `The function of column '${d.column}' returned an unusable result: ${d.reason.replace(/\.$/, '')}.`,
  ),
  'function/threw': permanent(
    (d: { function: string; reason: string }) => `The function ${d.function} threw: ${d.reason}`,
  ),
  'function/bad-value': permanent(
    (d: { function: string; at: string; found: string }) =>
      `The function ${d.function} returned a value that a dataset cannot store: ${d.at} is ${d.found}. Return text, numbers, booleans, null, lists or plain objects.`,
  ),
  'function/unavailable': permanent(
    (d: { function: string; reason: string }) => `The function ${d.function} cannot be called: ${d.reason}.`,
  ),
  'plugin/unusable': permanent(
    (d: { module: string; reason: string }) => `The plug-in ${d.module} cannot be used: ${d.reason}.`,
  ),
  'plugin/threw': permanent(
    (d: { module: string; column: string; reason: string }) =>
      `The plug-in ${d.module} threw for column '${d.column}': ${d.reason.replace(/\.$/, '')}.`,
  ),
  'validator/failed': permanent(
    (d: { column: string; server: string; reason: string } & ForAll) =>
      `The validator of column '${d.column}' at ${d.server} cannot be reached: ${d.reason}.${d.forAll ? ' Check the address and that the server is running. Finished answers are saved.' : ''}`,
  ),
  'validator/bad-answer': permanent(
    (d: { column: string; server: string; reason: string } & ForAll) =>
      `The validator of column '${d.column}' at ${d.server} returned an unusable answer: ${d.reason}.${d.forAll ? ' All its answers were unusable: correct the validator and resume.' : ''}`,
  ),
  'tool/unavailable': permanent(
    (d: { provider: string; reason: string }) => `The tool provider '${d.provider}' cannot be used: ${d.reason}.`,
  ),
  'tool/invalid': permanent(
    (d: { tool: string; reason: string }) => `The tool '${d.tool}' cannot be used: ${d.reason}.`,
  ),
  'tool/unknown': permanent(
    (d: {
      alias: string;
      tools: readonly string[];
      providers: readonly string[];
      /** The most similar offered name for each missing one, if any is similar. */
      nearest?: Readonly<Record<string, string>>;
    }) => {
      const meant = (tool: string) => (d.nearest?.[tool] ? `${tool} (did you mean '${d.nearest[tool]}'?)` : tool);
      return `Tool config '${d.alias}' allows ${d.tools.map(meant).join(', ')}, but none of its providers (${d.providers.join(', ')}) offers ${d.tools.length === 1 ? 'it' : 'them'}. Correct allow_tools.`;
    },
  ),
  'tool/duplicate': permanent(
    (d: {
      alias: string;
      tool: string;
      providers: readonly string[];
      /** Further tools with several providers. */
      others?: readonly { readonly tool: string; readonly providers: readonly string[] }[];
    }) => {
      const offered = [d, ...(d.others ?? [])].map((one) => `'${one.tool}' by ${one.providers.join(' and ')}`);
      return `Tool config '${d.alias}': ${offered.length > 1 ? 'several tools have' : 'a tool has'} more than one provider: ${offered.join('; ')}. Give each provider its own 'tool_prefix' (toolPrefix), or use two tool configs.`;
    },
  ),
  'seed/unreadable': permanent(
    (d: { source: string; reason: string }) =>
      `Cannot read the seed rows of ${d.source}: ${d.reason}. Correct them and start again.`,
  ),
  'hub/missing': permanent(
    (d: { where: string; part: 'dataset' | 'revision' | 'folder' | 'file'; name: string; remedy: string }) =>
      `${d.where} has no ${d.part} '${d.name}'. ${d.remedy}`,
  ),
  'hub/unauthorized': permanent(
    (d: { dataset: string; status: number; reason: string; remedy: string }) =>
      `Cannot read the Hub dataset '${d.dataset}' (status ${d.status}): ${d.reason}. ${d.remedy}`,
  ),
  'hub/refused': permanent(
    (d: { path: string; reason: string; remedy: string }) =>
      `The Hub seed '${d.path}' was not downloaded: ${d.reason}. ${d.remedy}`,
  ),
  'hub/unreachable': transient(
    (d: { address: string; reason: string; retryAfterMs: number | undefined }) =>
      `Cannot fetch ${d.address}: ${d.reason}. Check the endpoint and the network, and start again; completed files are kept.`,
  ),
  'hub/damaged': transient(
    (d: { file: string; reason: string }) =>
      `The Hub file '${d.file}' was damaged in transfer: ${d.reason}. Start again; completed files are kept.`,
  ),
  'rehearsal/invalid-option': permanent(
    (d: { option: string; found: string; wanted: string }) =>
      `The rehearsal's ${d.option} cannot be '${d.found}'. It must be ${d.wanted}.`,
  ),
  'report/invalid-option': permanent(
    (d: { option: string; found: string; wanted: string }) =>
      `The option ${d.option} cannot be '${d.found}'. It must be ${d.wanted}.`,
  ),
  'run/aborted': permanent((_: { reason: string }) => `The run was stopped: ${_.reason}.`),
  'run/budget-spent': permanent(
    (d: { maxCost: number; cost: number }) =>
      `The budget of ${d.maxCost} is spent: the answers cost ${Number(d.cost.toPrecision(6))}. They are saved; raise the run setting 'max_cost' and resume.`,
  ),
  'run/time-spent': permanent(
    (d: { maxDurationSeconds: number }) =>
      `The run reached its time limit of ${d.maxDurationSeconds} s. Finished answers are saved; raise the run setting 'max_duration_seconds' and resume.`,
  ),
  'run/stopped-early': permanent(
    (d: { column: string; failed: number; cells: number; cause: string }) =>
      `${d.failed} of the last ${d.cells} cells of column '${d.column}' failed${d.cause ? `: ${d.cause.replace(/\.$/, '')}` : ''}. Correct the cause and resume; to allow more failures, change the run settings 'shutdown_error_rate' and 'disable_early_shutdown'.`,
  ),
  'run/over': permanent((_: { reason: string }) => `The run sends no more requests: ${_.reason}.`),
  'run/cell-failed': permanent(
    (d: { column: string; row: number; code: string; reason: string; messages: readonly ChatMessage[] }) =>
      `The cell of column '${d.column}' in row ${d.row} failed (${d.code}), and on_failure: abort ends the run: ${d.reason} Finished answers are saved; correct the cause and resume.`,
  ),
  'run/worker-lost': permanent(
    (d: { group: number; rows: number; losses: number; reason: string }) =>
      `Row group ${d.group} lost its worker thread ${d.losses} times, the last time because: ${d.reason}. No single cell causes it. The group's ${d.rows} rows are unfinished; their answers are saved. Resume the dataset (--resume always); if memory ran out, give the threads more with NODE_OPTIONS=--max-old-space-size.`,
  ),
  'cell/killed-worker': recorded(
    (d: { column: string; row: number; cause: string }) =>
      `Column '${d.column}', row ${d.row}: the cell ${d.cause}. The journal marks it so that a resume does not run it again. Check the column's schema, template or function with the values of this row, or set on_failure to continue without the row.`,
  ),
  'run/workers-lost': permanent(
    (d: { losses: number; reason: string }) =>
      `No worker thread is left: ${d.losses} ended one after another, the last one because: ${d.reason}. Finished rows and answers are saved. Check the memory and the thread limit of the machine, then resume the dataset (--resume always).`,
  ),
  'run/gateway-lost': permanent(
    (d: { reason: string }) =>
      `The I/O thread, which talks to models and tools, ended: ${d.reason}. Finished rows and answers are saved; resume the dataset (--resume always).`,
  ),
  'run/provider-failed': permanent(
    (d: { provider: string; reason: string }) => `The built-in provider '${d.provider}' did not start: ${d.reason}.`,
  ),
  'run/no-rows': permanent(
    (d: { rows: number; cause: string }) => `All ${d.rows} rows failed. The first failure: ${d.cause}`,
  ),
  'journal/ends': permanent(
    (_: Readonly<Record<string, never>>) => 'The journal holds no answer to this request, and a dry replay sends none.',
  ),
  'journal/void': permanent((d: VoidAnswers & { path: string }) => {
    const count = `${d.answers} journaled ${d.answers === 1 ? 'answer' : 'answers'} in ${d.path} no longer ${d.answers === 1 ? 'matches its request' : 'match their requests'} (${printVoid(d)})`;
    return `${count}: a setting that shapes requests has changed, such as a provider's extra_body or a run setting. Later answers that depend on them are not counted. Nothing was sent, and all answers are kept. Restore the setting and resume, or re-request these answers with --re-request (rebuy: true).`;
  }),
  'dataset/no-media-root': permanent(
    (d: { path: string; reason: string }) =>
      `The media root ${d.path} cannot be used: ${d.reason}. Name an existing folder.`,
  ),
  'processor/failed': permanent(
    (d: { processor: string; row: number | null; code: string; reason: string }) =>
      `The processor '${d.processor}' failed${d.row === null ? '' : ` at row ${d.row}`} (${d.code}): ${d.reason} Finished answers are saved; correct the processor and resume.`,
  ),
  'processor/changed-rows': permanent(
    (d: { processor: string; stage: string; given: number; made: number }) =>
      `The processor '${d.processor}' received ${d.given} rows and returned ${d.made}: at stage ${d.stage} it must return as many as it receives. Finished answers are saved; correct the processor and resume.`,
  ),
  'processor/bad-rows': permanent(
    (d: { processor: string; reason: string }) =>
      `The processor '${d.processor}' returned rows that the dataset cannot store: ${d.reason}. Finished answers are saved; correct the processor and resume.`,
  ),
  'dataset/terminal': permanent(
    (d: { path: string; had: number; wanted: number }) =>
      `The dataset in ${d.path} cannot be extended to ${d.wanted} rows: a processor of stage after_generation has processed all its ${d.had} rows. Create a new dataset under another name.`,
  ),
  'dataset/no-processor': permanent(
    (d: { path: string; processor: string; known: readonly string[] }) =>
      `${d.path} has no side table of a processor '${d.processor}'. ${d.known.length === 0 ? 'None of its processors writes one.' : `Processors with a side table: ${d.known.join(', ')}.`}`,
  ),
  'dataset/unwritable': permanent(
    (d: { path: string; reason: string }) =>
      `Cannot write to ${d.path}: ${d.reason}. Choose another folder or change its permissions.`,
  ),
  'dataset/no-format': permanent(
    (d: { path: string; known: readonly string[] }) =>
      `${d.path} does not end in any of ${d.known.map((format) => `.${format}`).join(', ')}. Change the file name or state a format.`,
  ),
  'dataset/locked': permanent(
    (d: { path: string; owner: string }) =>
      `The dataset folder ${d.path} is in use by ${d.owner}. Wait for it to end, or choose another name.`,
  ),
  'dataset/disk-full': permanent(
    (d: { path: string }) =>
      `The disk is full at ${d.path}. Free some space and resume; answers received so far are saved.`,
  ),
  'dataset/incompatible': permanent((d: IncompatibleDataset) => {
    const { path, reason, remedy = 'Undo the change.', changes = [] } = d;
    const said = `The dataset in ${path} cannot be continued: ${reason}. ${remedy} To begin a new dataset instead, choose another dataset name, or let --resume if_possible choose one.`;
    return changes.length === 0 ? said : `${said}\n${printViolations(changes)}`;
  }),
  'dataset/misfit': permanent(
    (d: { column: string; row: number; expected: string; found: string }) =>
      `Column '${d.column}', row ${d.row}: expected ${d.expected}, found ${d.found}.`,
  ),
  'dataset/missing': permanent(
    (d: { path: string }) => `There is no dataset in ${d.path}. Check the folder and the name.`,
  ),
  'dataset/empty': permanent(
    (d: { path: string }) =>
      `The dataset in ${d.path} has no records to show. Continue it (--resume always); failures.jsonl in the folder lists the lost rows and their causes.`,
  ),
  'dataset/unfinished': permanent(
    (d: { path: string; made: number; wanted: number }) =>
      `The dataset in ${d.path} is unfinished: it has ${d.made} of ${d.wanted} row groups. Continue it (--resume always), or read the finished groups (unfinished: true).`,
  ),
  'dataset/damaged': permanent((d: { path: string; reason: string; remedy?: string }) =>
    `Cannot read ${d.path}: ${d.reason}. ${d.remedy ?? ''}`.trimEnd(),
  ),
  'dataset/newer-journal': permanent(
    (d: { path: string; version: number; known: number }) =>
      `The journal ${d.path} has format version ${d.version}; this version of Data Designer reads versions 1 to ${d.known}. Resume the dataset with the newer version that wrote it.`,
  ),
  'dataset/damaged-rows': permanent(
    (d: DamagedRows) =>
      `The dataset in ${d.path} has damaged files, and regenerating their rows calls models or tools again: ${printDamage(d)}. Nothing was sent or changed. Restore the files from a copy, or regenerate these rows with --re-request (rebuy: true).`,
  ),
  'dataset/no-chats': permanent(
    (d: { path: string; reason: string; remedy?: string }) =>
      `${d.path} holds no conversation: ${d.reason}. ${d.remedy ?? 'Create it with with_trace: all_messages.'}`,
  ),
  'serve/refused': permanent((d: { reason: string }) => d.reason),
  'usage/invalid': permanent(
    (d: { reason: string }) => `The command line cannot be used: ${d.reason}. See --help for the arguments and flags.`,
  ),
  'environment/port-in-use': permanent(
    (d: { port: number }) => `Port ${d.port} is in use. Choose another with --port, or 0 for any free one.`,
  ),
  'environment/cannot-listen': permanent(
    (d: { address: string; reason: string }) =>
      `Cannot listen at ${d.address}: ${d.reason}. Choose another port or address.`,
  ),
  'environment/not-installed': permanent(
    ({ folders }: { folders: readonly string[] }) =>
      `The bundled program did not find the package data-designer in the node_modules of ${folders.join(' or ')}. Install it where the program runs: npm install data-designer.`,
  ),
  'environment/node-too-old': permanent(
    (d: { found: string; needed: string }) => `Node ${d.needed} or newer is needed; this is ${d.found}.`,
  ),
  'internal/unexpected': permanent((d: { reason: string }) => `Unexpected error: ${d.reason}`),
} as const satisfies Record<string, Failure<never>>;

/** The code of a failure: `<area>/<what-happened>`. */
export type FailureCode = keyof typeof FAILURES;

/** The codes of all failures. */
export const FAILURE_CODES = Object.keys(FAILURES) as readonly FailureCode[];

/** The particulars of a failure, by its code. */
export type FailureData<Code extends FailureCode> = Parameters<(typeof FAILURES)[Code]['say']>[0];

/** A failure as plain data: class and properties of an error do not survive a thread boundary. */
export interface WireFailure {
  /** The error code. */
  readonly code: FailureCode;
  /** The message. */
  readonly message: string;
  /** The particulars of the error. */
  readonly data: unknown;
}

/** The error that every function of the package throws. `code` names the failure, and `data` has its particulars. */
export class DataDesignerError<Code extends FailureCode = FailureCode> extends Error {
  /** The name of the class. */
  override readonly name = 'DataDesignerError';
  /** The error code, such as `config/invalid`. */
  readonly code: Code;
  /** The particulars of the error; their shape depends on `code`. */
  readonly data: FailureData<Code>;

  constructor(code: Code, data: FailureData<Code>, options?: ErrorOptions) {
    super((FAILURES[code].say as (data: FailureData<Code>) => string)(data), options);
    this.code = code;
    this.data = data;
  }

  /**
   * Wraps any thrown value: a `DataDesignerError` stays as it is, anything else becomes `internal/unexpected`. If closing
   * a resource failed after an earlier failure, the earlier one counts.
   */
  static fromUnknown(thrown: unknown): DataDesignerError {
    if (thrown instanceof DataDesignerError) return thrown;
    if (isSuppressing(thrown)) return DataDesignerError.fromUnknown(thrown.suppressed);
    return new DataDesignerError('internal/unexpected', { reason: messageOf(thrown) }, { cause: thrown });
  }

  /** Makes the error again from plain data. */
  static fromWire(wire: WireFailure): DataDesignerError {
    return new DataDesignerError(wire.code, wire.data as never);
  }

  /** Returns the error as plain data, for another thread or a JSON file. */
  toWire(): WireFailure {
    return { code: this.code, message: this.message, data: this.data };
  }
}

/** The message of a thrown value, which need not be an `Error`. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Compares the name: Node before 24 lacks the class, and the compiler's substitute is used there. */
function isSuppressing(thrown: unknown): thrown is { readonly suppressed: unknown } {
  return thrown instanceof Error && thrown.name === 'SuppressedError' && 'suppressed' in thrown;
}

/** Whether a retry after a failure of this code may succeed. */
export function isRetryable(code: FailureCode): boolean {
  return FAILURES[code].retryable;
}

/** Whether the journal records a cell that fails with this code. */
export function isRecorded(code: FailureCode): boolean {
  const failure: Failure<never> = FAILURES[code];
  return failure.recorded === true;
}

/** Whether a thrown value is a failure of this code. */
export function isFailure<Code extends FailureCode>(thrown: unknown, code: Code): thrown is DataDesignerError<Code> {
  return thrown instanceof DataDesignerError && thrown.code === code;
}

/** Whether every other request to the same model would fail the same way. */
export function isForAll({ data }: DataDesignerError): boolean {
  return 'forAll' in data && data.forAll;
}

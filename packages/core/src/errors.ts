import type { ChatMessage } from './message.ts';
import { printViolations, type Violation } from './violation.ts';

interface Failure<Data> {
  readonly say: (data: Data) => string;
  readonly retryable: boolean;
  /** Whether a cell that fails with it is marked in the journal, as making the cell again may give another outcome. */
  readonly recorded?: boolean;
}

/** A failure that is final: trying again gives the same. */
const final = <Data>(say: (data: Data) => string): Failure<Data> => ({ say, retryable: false });
/** A failure that may pass: trying again may succeed. */
const passing = <Data>(say: (data: Data) => string): Failure<Data> => ({ say, retryable: true });

/** A failure of a cell that depends on the machine: it is recorded, so that a replay gives the same. */
const recorded = <Data>(say: (data: Data) => string): Failure<Data> => ({ say, retryable: false, recorded: true });

/** Of a failure that every other request to the model would meet. */
interface ForAll {
  readonly forAll?: boolean;
}

/** The end of a failure that every request met, of an endpoint that is there. */
function servedNobody({ forAll }: ForAll): string {
  return forAll ? ' It has served nobody in this run; what was answered is kept. Resume once it serves.' : '';
}

/** Of a refusal by an endpoint that has served nobody: the name of the model and the key that were sent. */
interface Sent {
  readonly sent?: string | undefined;
}

function printSent({ sent }: Sent): string {
  return sent === undefined ? '' : ` The request carried ${sent}.`;
}

/** Bytes of a megabyte, as `max_answer_mb` counts them. */
export const MEGABYTE = 1_000_000;

/** What to do about answers that are not valid, by why they were cut off. */
const REMEDY_OF_CUT = {
  'max-tokens': "An answer was cut off at its token limit: raise 'max_tokens' of the model.",
  'context-window': 'An answer was cut off because the context of the model was full: shorten the prompt.',
  none: 'Simplify what is asked for, allow more corrections, or use a stronger model.',
} as const;

/** Some rows of a run by their numbers, from 0, and how many more there are. */
function printRows({ rows, more }: { readonly rows: readonly number[]; readonly more: number }): string {
  const named = `${rows.length + more === 1 ? 'row' : 'rows'} ${rows.join(', ')}`;
  return more === 0 ? named : `${named} and ${more} more`;
}

/** Answers that were paid for and no longer fit what is asked. */
export interface VoidAnswers {
  readonly answers: number;
  /** What they cost, in the currency of the prices; null where not all have one. */
  readonly cost: number | null;
  readonly columns: readonly { readonly column: string; readonly answers: number }[];
}

/** Void answers by column, and what they cost where that is known. */
export function printVoid({ columns, cost }: VoidAnswers): string {
  const counts = columns.map(({ column, answers }) => `column '${column}': ${answers}`).join(', ');
  return cost === null ? counts : `${counts}; they cost ${Number(cost.toPrecision(6))}`;
}

/** Rows of a dataset that can no longer be read. */
export interface DamagedRows {
  /** The dataset's folder. */
  readonly path: string;
  /** The damaged files, relative to it. */
  readonly files: readonly string[];
  /** Rows to make again. */
  readonly rows: number;
  /** What the answers for them cost, about, in the currency of the prices; null where that is not known. */
  readonly cost: number | null;
}

/** How many rows are damaged, in which files, and what making them again costs. */
export function printDamage({ rows, files, cost }: DamagedRows): string {
  const named = files.length > 3 ? `${files.slice(0, 3).join(', ')} and ${files.length - 3} more` : files.join(', ');
  const price = cost === 0 ? 'nothing' : cost === null ? 'an unknown amount' : `about ${Number(cost.toPrecision(6))}`;
  return `${rows} ${rows === 1 ? 'row' : 'rows'} (${named}; making them again costs ${price})`;
}

/** Every failure of the project by name, with the sentence that says what, where and what to do. */
const FAILURES = {
  'config/unreadable': final(
    (d: { path: string; reason: string }) => `Cannot read the configuration ${d.path}: ${d.reason}.`,
  ),
  'config/invalid': final((d: { source: string; violations: readonly Violation[] }) => {
    const count = d.violations.length;
    return `${d.source} has ${count} ${count === 1 ? 'mistake' : 'mistakes'}:\n${printViolations(d.violations)}`;
  }),
  'secret/missing': final(
    (d: { name: string; owner: string }) =>
      `${d.owner} needs the environment variable ${d.name}, which is not set. Set it and start again.`,
  ),
  'template/syntax': final(
    (d: { reason: string; line: number; column: number }) =>
      `Template syntax error at line ${d.line}, column ${d.column}: ${d.reason}.`,
  ),
  'template/refused': final(
    (d: { construct: string; remedy: string }) => `Templates may not use ${d.construct}. ${d.remedy}`,
  ),
  'template/unsupported-filter': final(
    (d: { filter: string; known: readonly string[] }) =>
      `The template filter '${d.filter}' is not supported. Supported: ${d.known.join(', ')}.`,
  ),
  'template/empty-render': final(
    (d: { template: string; culprits: readonly string[] }) =>
      `The template '${d.template}' rendered to nothing; empty or missing: ${d.culprits.join(', ') || 'unknown'}.`,
  ),
  'template/record': final((d: { reason: string }) => `A template cannot work on this record: ${d.reason}.`),
  'template/limit': final(
    (d: { what: string; limit: number }) => `A template went over its limit: ${d.what} (at most ${d.limit}).`,
  ),
  'column/constraint-unmet': final(
    (d: { column: string; constraint: string; rows: readonly number[]; more: number; nearest: string }) =>
      `Column '${d.column}': no value that is drawn keeps ${d.constraint} in ${printRows(d)}. The nearest is ${d.nearest}. Change the constraint or the parameters.`,
  ),
  'column/not-converted': final(
    (d: { column: string; value: string; type: string; rows: readonly number[]; more: number }) =>
      `Column '${d.column}': the value ${d.value} cannot be turned into '${d.type}' in ${printRows(d)}.`,
  ),
  'model/rate-limited': passing(
    (d: { model: string; reason?: string } & ForAll) =>
      `The endpoint of model '${d.model}' keeps answering "too many requests" (429)${d.reason ? `: ${d.reason}` : ''}. ${d.forAll ? 'It has served nobody for as long as a call may wait; what was answered is kept. Resume later, lower' : "Raise 'total_timeout' in its inference parameters, lower"} 'max_parallel_requests', or ask the provider for a higher limit.`,
  ),
  'model/timed-out': passing(
    (
      d: {
        model: string;
        timeoutMs: number;
        /** Of a call whose time was over before that of its last attempt: the time of the whole call. */
        deadlineMs?: number;
      } & ForAll,
    ) =>
      `Model '${d.model}' did not answer within ${d.deadlineMs === undefined ? `${d.timeoutMs} ms` : `the ${d.deadlineMs} ms of a call`}. Raise '${d.deadlineMs === undefined ? 'timeout' : 'total_timeout'}' in its inference parameters.${servedNobody(d)}`,
  ),
  'model/unreachable': passing(
    (d: { model: string; reason: string } & ForAll) =>
      `The endpoint of model '${d.model}' ${d.forAll ? 'has never answered' : 'cannot be reached'}: ${d.reason}. Check that it runs and that the address is right${d.forAll ? '; what was answered is kept' : ''}.`,
  ),
  'model/server-error': passing(
    (d: { model: string; status: number; reason: string } & Sent & ForAll) =>
      `The endpoint of model '${d.model}' failed with status ${d.status}: ${d.reason}.${printSent(d)}${servedNobody(d)}`,
  ),
  'model/unauthorized': final(
    (d: { model: string; status: number; reason: string } & Sent) =>
      `The endpoint of model '${d.model}' refuses to serve (status ${d.status}): ${d.reason}.${printSent(d)} Check the key and the account; what was answered is kept.`,
  ),
  'model/permission-denied': final(
    (d: { model: string; status: number; reason: string } & Sent) =>
      `The key may not use model '${d.model}' (status ${d.status}): ${d.reason}.${printSent(d)} Ask the provider for access, or use another model; what was answered is kept.`,
  ),
  'model/quota-exceeded': final(
    (d: { model: string; status: number; reason: string }) =>
      `The account for model '${d.model}' has nothing left to spend (status ${d.status}): ${d.reason}. Add to it, or use another provider; what was answered is kept.`,
  ),
  'model/not-found': final(
    (d: { model: string; status: number; reason: string } & Sent) =>
      `The endpoint of model '${d.model}' refused the request with status ${d.status}: ${d.reason}.${printSent(d)} Check the name of the model and the address of the endpoint.`,
  ),
  'model/context-exceeded': final(
    (d: { model: string; status: number; reason: string }) =>
      `The request is longer than model '${d.model}' can take (status ${d.status}): ${d.reason}. Shorten the prompt or what tools give back, or use a model with a longer context.`,
  ),
  'model/unprocessable': final(
    (d: { model: string; status: number; reason: string }) =>
      `The endpoint of model '${d.model}' cannot process the request (status ${d.status}): ${d.reason}. Check the inference parameters, extra_body and what is shown to the model.`,
  ),
  'model/unsupported-parameter': final(
    (d: { model: string; status: number; reason: string }) =>
      `Model '${d.model}' does not take one of the parameters (status ${d.status}): ${d.reason}. Take it out of its inference parameters or extra_body.`,
  ),
  'model/rejected': final(
    (d: { model: string; status: number; reason: string; remedy?: string } & Sent) =>
      `The endpoint of model '${d.model}' refused the request with status ${d.status}: ${d.reason}.${d.remedy ? ` ${d.remedy}` : ''}${printSent(d)}`,
  ),
  'model/unsupported-capability': final(
    (d: { model: string; capability: string; protocol: string }) =>
      `Model '${d.model}' cannot ${d.capability}: the protocol of its provider (${d.protocol}) has no way to. Use a model at another provider for it.`,
  ),
  'model/no-picture': final(
    (d: { model: string; reason: string }) =>
      `Model '${d.model}' gave no picture: ${d.reason}. Check that it is a model that makes pictures.`,
  ),
  'model/unusable-provider': final(
    (d: { provider: string; reason: string; remedy: string }) =>
      `Model provider '${d.provider}' cannot be used: ${d.reason}. ${d.remedy}`,
  ),
  'model/bad-answer': final(
    (d: { model: string; reason: string } & ForAll) =>
      `Model '${d.model}' gave an answer that cannot be used: ${d.reason}.${servedNobody(d)}`,
  ),
  'model/no-choice': final(
    (d: { model: string; reason: string; attempts: number } & ForAll) =>
      `Model '${d.model}' gave no usable choice in ${d.attempts} ${d.attempts === 1 ? 'answer' : 'answers'} with status 200: ${d.reason}. Check the endpoint; it may charge for such answers.${servedNobody(d)}`,
  ),
  'model/answer-too-long': final(
    (d: { model: string; maxBytes: number }) =>
      `Model '${d.model}' gave an answer longer than ${d.maxBytes / MEGABYTE} MB. Raise 'max_answer_mb' in its inference parameters if it is meant to.`,
  ),
  'model/gave-up': final(
    (d: {
      model: string;
      reason: string;
      corrections: number;
      restarts: number;
      /** Why answers of the last conversation were cut off, if any was. */
      truncation?: 'max-tokens' | 'context-window' | null;
    }) =>
      `Model '${d.model}' gave no valid answer after ${d.corrections} corrections and ${d.restarts} restarts: ${d.reason.replace(/\.$/, '')}. ${REMEDY_OF_CUT[d.truncation ?? 'none']}`,
  ),
  'model/no-final-answer': final(
    (d: { model: string; turns: number }) =>
      `Model '${d.model}' kept calling tools after its ${d.turns} turns were used up. Raise 'max_tool_call_turns' or change the prompt.`,
  ),
  'answer/pattern-timed-out': recorded(
    (d: { pattern: string; limitMs: number }) =>
      `The schema's pattern '${d.pattern.length > 200 ? `${d.pattern.slice(0, 200)}…` : d.pattern}' did not finish on one text within ${d.limitMs} ms. Rewrite the pattern without lookarounds and backreferences, or take it out of the schema.`,
  ),
  'column/bad-media': final(
    (d: { column: string; modality: string; reason: string }) =>
      `What column '${d.column}' holds cannot be shown to a model as ${d.modality}: ${d.reason}.`,
  ),
  'column/no-text': final(
    (d: { column: string; found: string }) =>
      `Column '${d.column}' holds no text that a vector could be made of: it is ${d.found}.`,
  ),
  'column/bad-result': final(
    (d: { column: string; reason: string }) =>
      `The function of column '${d.column}' cannot be used so: ${d.reason.replace(/\.$/, '')}.`,
  ),
  'function/threw': final((d: { function: string; reason: string }) => `The function ${d.function} threw: ${d.reason}`),
  'function/bad-value': final(
    (d: { function: string; at: string; found: string }) =>
      `The function ${d.function} gave what cannot stand in a dataset: ${d.at} is ${d.found}. Give text, numbers, true, false, null, lists and plain objects.`,
  ),
  'function/unavailable': final(
    (d: { function: string; reason: string }) => `The function ${d.function} cannot be called: ${d.reason}.`,
  ),
  'plugin/unusable': final(
    (d: { module: string; reason: string }) => `The plug-in ${d.module} cannot be used: ${d.reason}.`,
  ),
  'plugin/threw': final(
    (d: { module: string; column: string; reason: string }) =>
      `The plug-in ${d.module} threw for column '${d.column}': ${d.reason.replace(/\.$/, '')}.`,
  ),
  'validator/failed': final(
    (d: { column: string; server: string; reason: string } & ForAll) =>
      `The validator of column '${d.column}' at ${d.server} cannot be asked: ${d.reason}.${d.forAll ? ' Check the address and that it runs; what was answered is kept.' : ''}`,
  ),
  'validator/bad-answer': final(
    (d: { column: string; server: string; reason: string } & ForAll) =>
      `The validator of column '${d.column}' at ${d.server} gave an answer that cannot be used: ${d.reason}.${d.forAll ? ' So were all its answers: mend it and resume.' : ''}`,
  ),
  'tool/unavailable': final(
    (d: { provider: string; reason: string }) => `The tool provider '${d.provider}' cannot be used: ${d.reason}.`,
  ),
  'tool/invalid': final((d: { tool: string; reason: string }) => `The tool '${d.tool}' cannot be used: ${d.reason}.`),
  'tool/unknown': final(
    (d: {
      alias: string;
      tools: readonly string[];
      providers: readonly string[];
      /** The offered name that is nearest to a missing one, where one is near. */
      nearest?: Readonly<Record<string, string>>;
    }) => {
      const meant = (tool: string) => (d.nearest?.[tool] ? `${tool} (did you mean '${d.nearest[tool]}'?)` : tool);
      return `Tool config '${d.alias}' allows ${d.tools.map(meant).join(', ')}, which no provider offers (asked: ${d.providers.join(', ')}). Correct allow_tools.`;
    },
  ),
  'tool/duplicate': final(
    (d: {
      alias: string;
      tool: string;
      providers: readonly string[];
      /** Further tools that are offered more than once. */
      others?: readonly { readonly tool: string; readonly providers: readonly string[] }[];
    }) => {
      const offered = [d, ...(d.others ?? [])].map((one) => `'${one.tool}' by ${one.providers.join(' and ')}`);
      return `Tool config '${d.alias}': ${offered.length > 1 ? 'tools are' : 'a tool is'} offered more than once: ${offered.join('; ')}. Give each provider a 'tool_prefix' of its own (toolPrefix), or use two tool configs.`;
    },
  ),
  'seed/unreadable': final(
    (d: { source: string; reason: string }) =>
      `The seed rows of ${d.source} cannot be read: ${d.reason}. Correct them and start again.`,
  ),
  'hub/missing': final(
    (d: { where: string; part: 'dataset' | 'revision' | 'folder' | 'file'; name: string; remedy: string }) =>
      `${d.where} has no ${d.part} '${d.name}'. ${d.remedy}`,
  ),
  'hub/unauthorized': final(
    (d: { dataset: string; status: number; reason: string; remedy: string }) =>
      `The dataset '${d.dataset}' of the Hub cannot be read (status ${d.status}): ${d.reason}. ${d.remedy}`,
  ),
  'hub/refused': final(
    (d: { path: string; reason: string; remedy: string }) =>
      `The seed '${d.path}' of the Hub is not fetched: ${d.reason}. ${d.remedy}`,
  ),
  'hub/unreachable': passing(
    (d: { address: string; reason: string; retryAfterMs: number | undefined }) =>
      `Cannot fetch ${d.address}: ${d.reason}. Check endpoint and network, and start again; whole files are kept.`,
  ),
  'hub/damaged': passing(
    (d: { file: string; reason: string }) =>
      `The file '${d.file}' of the Hub did not arrive as it is there: ${d.reason}. Start again; whole files are kept.`,
  ),
  'rehearsal/invalid-option': final(
    (d: { option: string; found: string; wanted: string }) =>
      `The rehearsal's ${d.option} cannot be '${d.found}'. It must be ${d.wanted}.`,
  ),
  'report/invalid-option': final(
    (d: { option: string; found: string; wanted: string }) =>
      `The option ${d.option} cannot be '${d.found}'. It must be ${d.wanted}.`,
  ),
  'run/aborted': final((_: { reason: string }) => `The run was stopped: ${_.reason}.`),
  'run/budget-spent': final(
    (d: { maxCost: number; cost: number }) =>
      `The budget of ${d.maxCost} is spent: the answers cost ${Number(d.cost.toPrecision(6))}. They are kept; raise the run setting 'max_cost' and resume.`,
  ),
  'run/time-spent': final(
    (d: { maxDurationSeconds: number }) =>
      `The time of ${d.maxDurationSeconds} s is over. What was answered is kept; give it more with the run setting 'max_duration_seconds' and resume.`,
  ),
  'run/stopped-early': final(
    (d: { column: string; failed: number; cells: number; cause: string }) =>
      `Of the last ${d.cells} cells of column '${d.column}' ${d.failed} failed${d.cause ? `: ${d.cause.replace(/\.$/, '')}` : ''}. Mend that and resume; 'shutdown_error_rate' and 'disable_early_shutdown' of the run settings say when to go on all the same.`,
  ),
  'run/over': final((_: { reason: string }) => `Nothing more is asked: ${_.reason}.`),
  'run/cell-failed': final(
    (d: { column: string; row: number; code: string; reason: string; messages: readonly ChatMessage[] }) =>
      `The column '${d.column}' ends the run when a cell fails, and that of row ${d.row} did (${d.code}): ${d.reason} What was answered is kept; resume once it is mended.`,
  ),
  'run/worker-lost': final(
    (d: { group: number; rows: number; losses: number; reason: string }) =>
      `Row group ${d.group} lost its worker thread ${d.losses} times, the last time because: ${d.reason}. No single cell causes it. The group's ${d.rows} rows are unfinished, and their answers are saved. Resume the dataset (--resume always); where memory ran out, give the threads more with NODE_OPTIONS=--max-old-space-size.`,
  ),
  'cell/killed-worker': recorded(
    (d: { column: string; row: number; cause: string }) =>
      `Column '${d.column}', row ${d.row}: the cell ${d.cause}. It is marked in the journal, so that no resume runs it again. Check the column's schema, template or function with the values of this row, or set on_failure to go on without the row.`,
  ),
  'run/workers-lost': final(
    (d: { losses: number; reason: string }) =>
      `No worker thread is left: ${d.losses} ended in a row, the last one because: ${d.reason}. Finished rows and answers are saved. Check the memory and the thread limit of the machine, then resume the dataset (--resume always).`,
  ),
  'run/gateway-lost': final(
    (d: { reason: string }) =>
      `The thread that talks to models and tools ended: ${d.reason}. Finished rows and answers are saved; resume the dataset (--resume always).`,
  ),
  'run/provider-failed': final(
    (d: { provider: string; reason: string }) => `The built-in provider '${d.provider}' did not start: ${d.reason}.`,
  ),
  'run/no-rows': final(
    (d: { rows: number; cause: string }) => `None of the ${d.rows} rows could be made. The first failure: ${d.cause}`,
  ),
  'journal/ends': final(
    (_: Readonly<Record<string, never>>) => 'The journal holds no answer to this, and nothing else was to be asked.',
  ),
  'journal/void': final((d: VoidAnswers & { path: string }) => {
    const count = `${d.answers} ${d.answers === 1 ? 'answer that is' : 'answers that are'}`;
    return `${count} kept in ${d.path} no longer ${d.answers === 1 ? 'fits' : 'fit'} what would be asked now (${printVoid(d)}): something that requests are made of is another than when they were sent, such as extra_body of a provider or a run setting. What was made of these answers is not counted. Nothing was asked, and all of it is kept. Set it back and resume, or pay for them again with --rebuy (rebuy: true).`;
  }),
  'dataset/no-media-root': final(
    (d: { path: string; reason: string }) =>
      `The media root ${d.path} cannot be used: ${d.reason}. Name a folder that is there.`,
  ),
  'processor/failed': final(
    (d: { processor: string; row: number | null; code: string; reason: string }) =>
      `The processor '${d.processor}' failed${d.row === null ? '' : ` at row ${d.row}`} (${d.code}): ${d.reason} What was answered is kept; resume once it is mended.`,
  ),
  'processor/changed-rows': final(
    (d: { processor: string; stage: string; given: number; made: number }) =>
      `The processor '${d.processor}' was given ${d.given} rows and gave ${d.made}: at ${d.stage} it must give as many. What was answered is kept; resume once it is mended.`,
  ),
  'processor/bad-rows': final(
    (d: { processor: string; reason: string }) =>
      `What the processor '${d.processor}' gave are no rows of the dataset: ${d.reason}. What was answered is kept; resume once it is mended.`,
  ),
  'dataset/terminal': final(
    (d: { path: string; had: number; wanted: number }) =>
      `The dataset in ${d.path} was processed as a whole once its ${d.had} rows were made, and cannot be brought to ${d.wanted} now. Make a new one under another name.`,
  ),
  'dataset/no-processor': final(
    (d: { path: string; processor: string; known: readonly string[] }) =>
      `${d.path} has no table of a processor '${d.processor}'. ${d.known.length === 0 ? 'None of its processors writes one.' : `Those that write one: ${d.known.join(', ')}.`}`,
  ),
  'dataset/unwritable': final(
    (d: { path: string; reason: string }) =>
      `Cannot write to ${d.path}: ${d.reason}. Choose another folder or its rights.`,
  ),
  'dataset/no-format': final(
    (d: { path: string }) =>
      `${d.path} ends in none of .jsonl, .csv, .parquet and .arrow. Name the file so, or give a format.`,
  ),
  'dataset/locked': final(
    (d: { path: string; owner: string }) =>
      `The dataset folder ${d.path} is in use by ${d.owner}. Wait for it to end, or choose another name.`,
  ),
  'dataset/disk-full': final(
    (d: { path: string }) => `The disk is full at ${d.path}. Make room and resume; what was received is kept.`,
  ),
  'dataset/incompatible': final(
    (d: { path: string; reason: string }) =>
      `The dataset in ${d.path} cannot be continued: ${d.reason}. Undo that, or choose another dataset name.`,
  ),
  'dataset/misfit': final(
    (d: { column: string; row: number; expected: string; found: string }) =>
      `Column '${d.column}', row ${d.row}: expected ${d.expected}, found ${d.found}.`,
  ),
  'dataset/missing': final((d: { path: string }) => `There is no dataset in ${d.path}. Check the folder and the name.`),
  'dataset/empty': final(
    (d: { path: string }) =>
      `The dataset in ${d.path} has no records to show. Go on with it (--resume always); why rows are missing stands in its failures.jsonl.`,
  ),
  'dataset/unfinished': final(
    (d: { path: string; made: number; wanted: number }) =>
      `The dataset in ${d.path} is not finished: ${d.made} of its ${d.wanted} row groups are made. Go on with it (--resume always), or take what there is (unfinished: true).`,
  ),
  'dataset/damaged': final((d: { path: string; reason: string; remedy?: string }) =>
    `${d.path} cannot be read back: ${d.reason}. ${d.remedy ?? ''}`.trimEnd(),
  ),
  'dataset/newer-journal': final(
    (d: { path: string; version: number; known: number }) =>
      `The journal ${d.path} has format version ${d.version}; this version of Data Designer reads versions 1 to ${d.known}. Resume the dataset with the newer version that wrote it.`,
  ),
  'dataset/damaged-rows': final(
    (d: DamagedRows) =>
      `The dataset in ${d.path} has damaged files, and making their rows again asks models or tools once more: ${printDamage(d)}. Nothing was sent or changed. Put back copies of the files, or pay for these rows again with --rebuy (rebuy: true).`,
  ),
  'dataset/no-chats': final(
    (d: { path: string; reason: string; remedy?: string }) =>
      `${d.path} has no conversation to give: ${d.reason}. ${d.remedy ?? 'Make it with with_trace: all_messages.'}`,
  ),
  'serve/refused': final((d: { reason: string }) => d.reason),
  'environment/port-in-use': final(
    (d: { port: number }) => `Port ${d.port} is in use. Choose another with --port, or 0 for any free one.`,
  ),
  'environment/cannot-listen': final(
    (d: { address: string; reason: string }) =>
      `Nothing can be served at ${d.address}: ${d.reason}. Choose another port or address.`,
  ),
  'environment/node-too-old': final(
    (d: { found: string; needed: string }) => `Node ${d.needed} or newer is needed; this is ${d.found}.`,
  ),
  'internal/unexpected': final((d: { reason: string }) => `Something went wrong that should not: ${d.reason}`),
} as const satisfies Record<string, Failure<never>>;

/** The name of a failure: `<floor>/<what-happened>`. */
export type FailureCode = keyof typeof FAILURES;

/** What is known about a failure of this name. */
export type FailureData<Code extends FailureCode> = Parameters<(typeof FAILURES)[Code]['say']>[0];

/** A failure as it crosses threads, where class and properties of an error do not survive. */
export interface WireFailure {
  readonly code: FailureCode;
  readonly message: string;
  readonly data: unknown;
}

/** The one error class of the project; `code` names the failure and `data` says the particulars. */
export class DataDesignerError<Code extends FailureCode = FailureCode> extends Error {
  override readonly name = 'DataDesignerError';
  readonly code: Code;
  readonly data: FailureData<Code>;

  constructor(code: Code, data: FailureData<Code>, options?: ErrorOptions) {
    super((FAILURES[code].say as (data: FailureData<Code>) => string)(data), options);
    this.code = code;
    this.data = data;
  }

  /**
   * Any thrown thing as one of ours: itself, or `internal/unexpected` around it. Where closing what was open failed after
   * another failure, that first one.
   */
  static fromUnknown(thrown: unknown): DataDesignerError {
    if (thrown instanceof DataDesignerError) return thrown;
    if (isSuppressing(thrown)) return DataDesignerError.fromUnknown(thrown.suppressed);
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return new DataDesignerError('internal/unexpected', { reason }, { cause: thrown });
  }

  static fromWire(wire: WireFailure): DataDesignerError {
    return new DataDesignerError(wire.code, wire.data as never);
  }

  toWire(): WireFailure {
    return { code: this.code, message: this.message, data: this.data };
  }
}

/** By its name: younger versions of Node have the class, older ones what the compiler puts in its place. */
function isSuppressing(thrown: unknown): thrown is { readonly suppressed: unknown } {
  return thrown instanceof Error && thrown.name === 'SuppressedError' && 'suppressed' in thrown;
}

/** Whether a failure of this name may pass when tried again. */
export function isRetryable(code: FailureCode): boolean {
  return FAILURES[code].retryable;
}

/** Whether a cell that fails with this is marked in the journal before it fails. */
export function isRecorded(code: FailureCode): boolean {
  return (FAILURES[code] as Failure<never>).recorded === true;
}

/** Whether a thrown thing is the failure of this name. */
export function isFailure<Code extends FailureCode>(thrown: unknown, code: Code): thrown is DataDesignerError<Code> {
  return thrown instanceof DataDesignerError && thrown.code === code;
}

/** Whether a failure says of itself that every other cell that asks the same model would meet it. */
export function isForAll({ data }: DataDesignerError): boolean {
  return (data as ForAll).forAll === true;
}

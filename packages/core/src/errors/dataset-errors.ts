import { type Failure, permanent } from './failure.ts';
import { knownNames, printNames, printViolation, printViolations, type Violation } from '../violation.ts';

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

/** The most files that a message names. */
const MOST_FILES = 3;

/** The first three of some files, and how many more there are. */
export function printFiles(files: readonly string[]): string {
  return printNames(files, MOST_FILES);
}

/** Says how many rows are damaged, in which files, and the cost of regenerating them. */
export function printDamage({ rows, files, cost }: DamagedRows): string {
  const named = printFiles(files);
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

/** Examples of training data that a format has no place for. */
export interface NotExpressible {
  /** The dataset's folder. */
  readonly path: string;
  readonly format: string;
  /** What the examples are, such as `conversations`. */
  readonly noun: string;
  /** What does not fit, in how many examples, and the position of the first row. */
  readonly found: readonly { readonly what: string; readonly examples: number; readonly row: number }[];
  readonly onlyReasoning: boolean;
}

/** The most changes of a config that fit one screen with their lines. */
const MOST_CHANGES = 4;

/** A path that is no folder of a dataset. */
export interface MissingDataset {
  readonly path: string;
  /** The datasets beside it and in the artifact folder. */
  readonly near?: readonly string[];
  /** The whole message where the path is in a dataset, or has some in it. */
  readonly told?: string;
  readonly isResumed?: true;
}

/** Errors of dataset folders, the command line and the environment. */

export const datasetErrors = {
  'dataset/no-media-root': permanent(
    (d: { path: string; reason: string }) =>
      `The media root ${d.path} cannot be used: ${d.reason}. Use an existing folder.`,
  ),
  'dataset/lost-rows-stay': permanent(
    (d: { path: string; reason: string; remedy: string }) =>
      `The lost rows of the dataset in ${d.path} cannot be made again: ${d.reason}. ${d.remedy}`,
  ),
  'dataset/terminal': permanent(
    (d: { path: string; had: number; wanted: number }) =>
      `The dataset in ${d.path} cannot be extended to ${d.wanted} rows: a processor of stage after_generation has processed all its ${d.had} rows. Create a new dataset under another name.`,
  ),
  'dataset/no-processor': permanent(
    (d: { path: string; processor: string; known: readonly string[] }) =>
      `${d.path} has no side table of a processor '${d.processor}'. ${d.known.length === 0 ? 'None of its processors writes one.' : `Processors with a side table: ${d.known.join(', ')}.`}`,
  ),
  'dataset/no-column': permanent((d: { path: string; column: string; known: readonly string[]; within?: string }) =>
    d.within === undefined
      ? `${d.path} has no column '${d.column}'. Its columns: ${d.known.join(', ')}.`
      : `In ${d.path}, '${d.within}' has no member '${d.column}'. ${d.known.length === 0 ? 'It has no members' : `Its members: ${d.known.join(', ')}`}.`,
  ),
  'dataset/unwritable': permanent(
    (d: { path: string; reason: string; remedy?: string }) =>
      `Cannot write to ${d.path}: ${d.reason}. ${d.remedy ?? `Choose another folder, or ${/such/.test(d.reason) ? 'make it' : 'change its permissions'}.`}`,
  ),
  'dataset/remote': permanent(
    (d: { path: string }) =>
      `Cannot write to ${d.path}: it is an address, and datasets and exports are written to local folders. Use a local path, and copy the result to the address afterwards.`,
  ),
  'dataset/no-format': permanent(
    (d: { path: string; known: readonly string[] }) =>
      `${d.path} does not end in a known format (${d.known.map((format) => `.${format}`).join(', ')}). Change the file name or choose a format.`,
  ),
  'dataset/locked': permanent(
    (d: { path: string; owner: string }) =>
      `The dataset folder ${d.path} is in use by ${d.owner}. Wait for it to end, or choose another name.`,
  ),
  'dataset/disk-full': permanent(
    (d: { path: string }) =>
      `The disk is full at ${d.path}. Free some space and start the command again; for a run, add --resume always (resume: 'always'). The answers received so far are saved.`,
  ),
  'dataset/incompatible': permanent((d: IncompatibleDataset) => {
    const { path, reason, remedy = 'Undo the change.', changes = [] } = d;
    const said = `The dataset in ${path} cannot be continued: ${reason}. ${remedy} To start a new dataset instead, choose another dataset name, or let --resume if_possible choose one.`;
    if (changes.length === 0) return said;
    const more = changes.length - MOST_CHANGES;
    const others = more > 0 ? `\nand ${more} more ${more === 1 ? 'change' : 'changes'}` : '';
    return `${said}\n${printViolations(changes.slice(0, MOST_CHANGES))}${others}`;
  }),
  'dataset/misfit': permanent(
    (d: { column: string; row: number; expected: string; found: string }) =>
      `Column '${d.column}', row ${d.row}: expected ${d.expected}, found ${d.found}.`,
  ),
  'dataset/missing': permanent((d: MissingDataset) => {
    if (d.told !== undefined) return d.told;
    if (/\.(?:ya?ml|json|[cm]?[jt]s)$/.test(d.path))
      return `${d.path} is a config. Give the folder of a dataset, such as artifacts/dataset.`;
    const said = `There is no dataset in ${d.path}`;
    if (d.isResumed)
      return `${said} that could be continued. To begin one, leave out --resume always, or use --resume if_possible.`;
    const { near = [] } = d;
    return `${said}. ${near.length === 0 ? 'Check the folder and the name.' : `There are: ${near.join(', ')}.`}`;
  }),
  'dataset/empty': permanent(
    (d: { path: string; leftOut?: string }) =>
      `The dataset in ${d.path} has no records${d.leftOut ?? '. Continue it (--resume always). failures.jsonl in it or in candidates lists lost rows.'}`,
  ),
  'dataset/unfinished': permanent(
    (d: { path: string; made: number; wanted: number; what?: 'rows' }) =>
      `The dataset in ${d.path} is unfinished: it has ${d.made} of ${d.wanted} ${d.what ?? 'row groups'}. Continue it (--resume always), or read the finished ${d.what ?? 'groups'} (in code unfinished: true).`,
  ),
  'dataset/damaged': permanent((d: { path: string; reason: string; remedy?: string }) =>
    `Cannot read ${d.path}: ${d.reason}. ${d.remedy ?? ''}`.trimEnd(),
  ),
  'dataset/other-version': permanent((d: { path: string; version: number; known: number; isOfDevelopment?: boolean }) =>
    d.isOfDevelopment
      ? `Cannot read ${d.path}: a version before 1.0.0 wrote it, and later ones do not read its format ${d.version}. Create a new dataset under another name.`
      : `Cannot read ${d.path}: its format version is ${d.version}, and this version of Data Designer reads only version ${d.known}. Create a new dataset under another name, or use ${d.version < d.known ? 'the version of Data Designer that wrote it' : 'a newer version of Data Designer'}.`,
  ),
  'dataset/damaged-rows': permanent(
    (d: DamagedRows) =>
      `The dataset in ${d.path} has damaged files, and regenerating their rows calls models or tools again: ${printDamage(d)}. Nothing was sent or changed. Restore the files from a copy, or regenerate these rows with --re-request (reRequest: true).`,
  ),
  'dataset/no-chats': permanent(
    (d: { path: string; reason: string; remedy?: string }) =>
      `${d.path} contains no conversations: ${d.reason}. ${d.remedy ?? 'Create the dataset with with_trace: all_messages.'}`,
  ),
  'dataset/not-expressible': permanent((d: NotExpressible) => {
    const found = d.found
      .map(({ what, examples, row }) => `${examples} with ${what} (the first in row ${row})`)
      .join(', ');
    const left = d.onlyReasoning
      ? 'that reasoning'
      : `these ${d.noun}, or their reasoning where only that does not fit`;
    return `${d.path} has ${d.noun} that ${d.format} cannot express: ${found}. Choose another format, or leave out ${left} with --lossy, in code { lossy: true }.`;
  }),
  'dataset/no-tokenizer': permanent(
    (d: { path: string; reason: string }) =>
      `The tokenizer ${d.path} cannot be used: ${d.reason}. Name the tokenizer.json of a model, its folder, or o200k.`,
  ),
  'review/invalid': permanent(
    (d: { row: number; reason: string }) =>
      `The review of row ${d.row} cannot be stored: ${d.reason}. Correct the review.`,
  ),
  'review/row-changed': permanent(
    (d: { row: number }) =>
      `The review of row ${d.row} was not stored: the row changed after it was shown. Read the row again, then review it.`,
  ),
  'serve/refused': permanent((d: { reason: string }) => d.reason),
  'usage/invalid': permanent(
    (d: { reason: string }) =>
      `Invalid command line: ${d.reason}. Run the command with --help to see its arguments and flags.`,
  ),
  'agent/unknown-family': permanent(
    (d: { name: string; known: readonly string[] }) => `Unknown family '${d.name}'. ${knownNames(d.name, d.known)}`,
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
    (d: { found: string; needed: string }) =>
      `Node ${d.needed} or newer is needed; this is ${d.found}. Install it, or add it to this project: npm install node@24.`,
  ),
  'internal/unexpected': permanent((d: { reason: string }) => `Unexpected error: ${d.reason}`),
} as const satisfies Record<string, Failure<never>>;

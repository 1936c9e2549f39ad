import { Command, InvalidArgumentError } from 'commander';
import { DataDesignerError, isFailure } from '@data-designer/core';
import type { ReviewUse } from '@data-designer/dataset/reviews';
import { formatCount, pluralize } from '@data-designer/printing';
import { exitCodeOf, exitCodeOfFailure, exitCodesInHelp } from './exit-codes.ts';
import { examples, withPlugins } from './flags/common-flags.ts';
import { atLeast, collect, parseNumber } from './flags/parse-flags.ts';
import { reportFailure } from './report-failure.ts';
import { drainOnSignals } from './signals.ts';
import { shellPath } from './display/shell-path.ts';

type Rule = Readonly<Record<string, unknown>>;

interface SelectFlags extends ReviewUse {
  readonly numRecords?: number;
  readonly datasetName?: string;
  readonly artifactPath: string;
  readonly rules?: string;
  readonly where?: string;
  /** The rules of `--exact`, `--minhash` and `--embedding`. */
  readonly exact: readonly Rule[];
  readonly minhash: readonly Rule[];
  readonly embedding: readonly Rule[];
  readonly uniqueAgainst: readonly string[];
  readonly notIn: readonly string[];
  readonly column?: string;
  readonly ngram?: number;
  readonly share?: number;
  readonly balance?: Rule;
  readonly keepRejected: boolean;
  readonly plugins: readonly string[];
  readonly json: boolean;
}

/** `data-designer select FOLDER`: writes the rows of a finished dataset that rules accept to a new one. */
export function selectCommand(): Command {
  const command = new Command('select')
    .description('Apply rules to a finished dataset, and write the accepted rows to a new dataset. No model is asked.')
    .argument('<folder>', 'Dataset folder')
    .option('-n, --num-records <n>', 'Number of rows to accept (default: all that the rules accept)', atLeast(1))
    .option('-d, --dataset-name <name>', 'Name of the new dataset folder (default: <folder>-selected)')
    .option(
      '-o, --artifact-path <folder>',
      'Parent folder: the dataset folder is made in it, under its name (-d)',
      './artifacts',
    )
    .option('--keep-rejected', 'Also store refused rows with their reasons, in the folder rejected', false)
    .option('--json', 'Print one JSON object instead of text', false);
  return withPlugins(command)
    .optionsGroup('Reviews of rows:')
    .option('--apply-edits', 'Use the edited values of reviews')
    .option('--drop-rejected', 'Refuse rejected rows')
    .option('--accepted-only', 'Refuse all rows that are not accepted, with edits or without')
    .optionsGroup('Rules, as in the key select of a config:')
    .option('--rules <file>', 'File with rules: the content of the key select. Flags replace its keys')
    .option('--where <expression>', 'Accept rows for which this Jinja expression is true')
    .option('--exact <columns>', 'Refuse rows with equal texts in these columns; repeatable', collectExact, [])
    .option(
      '--minhash <columns>',
      'Refuse rows with similar texts, from a Jaccard similarity such as question:0.8; repeatable',
      collectMinhash,
      [],
    )
    .option(
      '--embedding <column>',
      'Refuse rows with similar embeddings, from a cosine such as vector:0.9; repeatable',
      collectEmbedding,
      [],
    )
    .option('--unique-against <folder>', 'Also refuse duplicates of this dataset; repeatable', collect, [])
    .option('--not-in <file>', 'Refuse rows that contain items of this benchmark file; repeatable', collect, [])
    .option('--column <name>', 'With --not-in: the column to compare')
    .option('--ngram <n>', 'With --not-in: number of words in a compared sequence (default: 8)', atLeast(2))
    .option(
      '--share <share>',
      "With --not-in: refuse rows with at least this share of an item's words (default: 0.5)",
      parsePart,
    )
    .option('--balance <column:share>', 'Largest share of rows with the same value, such as topic:0.1', parseBalance)
    .addHelpText(
      'after',
      examples(
        "select artifacts/facts --where 'score >= 4' --exact question -d good-facts",
        'select artifacts/facts -n 1000 --minhash question:0.8 --balance topic:0.1',
        'select artifacts/facts --not-in bench/items.jsonl --column question --keep-rejected',
      ),
    )
    .addHelpText('after', `\n${exitCodesInHelp()}`)
    .action(select);
}

const parsePart = parseNumber((value) => value > 0 && value <= 1, 'a number above 0, and at most 1');

/** A name with a number behind its last colon, if there is one. */
function withNumber(text: string): { readonly name: string; readonly number?: number } {
  const [, name, number] = /^(.+):([\d.]+)$/s.exec(text) ?? [];
  return name === undefined || number === undefined ? { name: text } : { name, number: parsePart(number) };
}

function namesIn(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('Name columns, separated by commas.');
  return names;
}

function collectExact(text: string, before: readonly Rule[]): readonly Rule[] {
  return [...before, { exact: namesIn(text) }];
}

function collectMinhash(text: string, before: readonly Rule[]): readonly Rule[] {
  const { name, number } = withNumber(text);
  return [...before, { minhash: namesIn(name), ...(number === undefined ? {} : { threshold: number }) }];
}

function collectEmbedding(text: string, before: readonly Rule[]): readonly Rule[] {
  const { name, number } = withNumber(text);
  return [...before, { embedding: name, ...(number === undefined ? {} : { threshold: number }) }];
}

function parseBalance(text: string): Rule {
  const { name, number } = withNumber(text);
  if (number === undefined) throw new InvalidArgumentError('It must be a column and a share, such as topic:0.1.');
  return { column: name, max_share: number };
}

async function select(folder: string, flags: SelectFlags, command: Command): Promise<void> {
  const problem = usageProblem(flags);
  if (problem !== undefined) return command.error(`error: ${problem}`, { exitCode: 2 });
  const rules = await rulesOf(flags);
  const { selectDataset } = await import('@data-designer/results/select-dataset');
  const { datasetName, artifactPath, numRecords, plugins } = flags;
  using interrupts = drainOnSignals();
  const { applyEdits, dropRejected, acceptedOnly } = flags;
  const reviews = { applyEdits, dropRejected, acceptedOnly };
  const options = { datasetName, artifactPath, numRecords, plugins, reviews, signal: interrupts.drain };
  try {
    const results = await selectDataset(folder, { ...options, select: rules });
    process.exitCode = exitCodeOf(results);
    await print(folder, results, flags);
  } catch (thrown) {
    if (!isFailure(thrown, 'run/aborted')) throw thrown;
    if (flags.json) reportFailure(DataDesignerError.fromUnknown(thrown), { json: true });
    else process.stderr.write('Interrupted. No dataset was written.\n');
    process.exitCode = exitCodeOfFailure(thrown);
  }
}

function usageProblem({ notIn, column, ngram, share }: SelectFlags): string | undefined {
  if (notIn.length > 0) return column === undefined ? '--not-in needs --column' : undefined;
  const alone = Object.entries({ column, ngram, share }).find(([, value]) => value !== undefined);
  return alone && `--${alone[0]} needs --not-in`;
}

/** The rules of the file, with those of flags in place of its keys. */
async function rulesOf(flags: SelectFlags): Promise<Rule> {
  const { where, uniqueAgainst, notIn, column, ngram, share, balance } = flags;
  const unique = [...flags.exact, ...flags.minhash, ...flags.embedding];
  const given = {
    ...(where === undefined ? {} : { where }),
    ...(unique.length > 0 ? { unique } : {}),
    ...(uniqueAgainst.length > 0 ? { unique_against: uniqueAgainst } : {}),
    ...(notIn.length > 0 ? { not_in: { files: notIn, ...defined({ column, ngram, share }) } } : {}),
    ...(balance ? { balance } : {}),
    ...(flags.keepRejected ? { keep_rejected: true } : {}),
  };
  if (flags.rules === undefined) return given;
  const { loadDocument } = await import('@data-designer/config');
  const { isFields } = await import('@data-designer/core');
  const rules = loadDocument(flags.rules);
  if (!isFields(rules)) {
    throw new DataDesignerError('config/unreadable', { path: flags.rules, reason: 'it is no mapping of rules' });
  }
  // The object that was read knows the lines of its keys.
  return Object.keys(given).length === 0 ? rules : { ...rules, ...given };
}

function defined(values: Rule): Rule {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

async function print(
  source: string,
  results: Awaited<ReturnType<(typeof import('@data-designer/results/select-dataset'))['selectDataset']>>,
  { json }: SelectFlags,
): Promise<void> {
  const { printEarlyEnd, printJson, printLosses, printStaleReviews } = await import('./display/print-results.ts');
  const { datasetPaths, readSelection } = await import('@data-designer/dataset');
  const { path, datasetName, divertedFrom, count, ended } = results;
  printEarlyEnd(ended);
  const {
    candidates = count,
    refused = [],
    stale_reviews: stale = [],
  } = (await readSelection(datasetPaths(path).metadata)) ?? {};
  if (json) {
    const diverted = divertedFrom === null ? {} : { divertedFrom };
    return printJson({
      path,
      datasetName,
      ...diverted,
      source,
      candidates,
      records: count,
      refused,
      staleReviews: stale,
      ended,
    });
  }
  printLosses(results);
  printStaleReviews(stale);
  process.stdout.write(`${formatCount(count)} of ${pluralize(candidates, 'row')} of ${source} accepted\n`);
  process.stdout.write(`Dataset folder: ${path} (-o names its parent folder, -d its name)\n`);
  if (divertedFrom !== null) {
    process.stdout.write(`${divertedFrom} contains another dataset, so this one has another name.\n`);
  }
  const folder = shellPath(path);
  process.stdout.write(
    `\nLook at the records:  npx data-designer show ${folder}\nIn the browser:       npx data-designer view ${folder}\n`,
  );
}

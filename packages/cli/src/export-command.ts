import { Command, InvalidArgumentError, Option } from 'commander';
import { EXPORT_FORMATS } from '@data-designer/dataset/formats';
import { COMPRESSIONS, TRAINING_FORMATS } from '@data-designer/training/options';
import { examples } from './flags/common-flags.ts';
import type { ExportFlags } from './flow/export-flow.ts';
import { withChoices } from './flags/parse-flags.ts';

/** `data-designer export FOLDER`: writes a dataset as one file, or as training data. */
export function exportCommand(): Command {
  const formats = new Option(
    '-f, --format <format>',
    'Output format (default: from the extension of the output file, else jsonl)',
  );
  return new Command('export')
    .description('Write a dataset as one file or as text, or as training data.')
    .argument('<folder>', 'Dataset folder')
    .option(
      '-o, --output <file>',
      'Output file, or the folder of the files of training data itself (default: standard output)',
    )
    .addOption(withChoices(formats, [...EXPORT_FORMATS, ...TRAINING_FORMATS]))
    .option('--processor <name>', 'Export the output of this processor instead of the records')
    .option('--no-escape', 'csv: add no apostrophe to texts that a spreadsheet would run as formulas')
    .option('--json', 'Print the output files as one JSON object; without -o, the rows are JSON lines', false)
    .optionsGroup('Reviews of rows:')
    .addOption(
      withChoices(
        new Option(
          '--reviews <form>',
          'Add the review of each row as columns, or write the reviews to a file next to the output',
        ),
        ['columns', 'file'],
      ),
    )
    .option('--apply-edits', 'Use the edited values of reviews')
    .option('--drop-rejected', 'Leave out rejected rows')
    .option('--accepted-only', 'Leave out all rows that are not accepted, with edits or without')
    .optionsGroup('With a format of training data:')
    .option('--column <name>', 'Export the conversations of this column only (default: all columns with a trace)')
    .option(
      '--map <part=column,...>',
      'Take the parts from columns, such as prompt=question,chosen=a,rejected=b',
      readPairs,
    )
    .option('--reasoning', "Include the model's reasoning (chat-jsonl and preference-jsonl leave it out otherwise)")
    .option('--no-reasoning', "Leave out the model's reasoning")
    .option('--corrections', 'Include answers that the model had to correct')
    .option('--lossy', 'Leave out content that the format cannot express, and count it (default: refuse the export)')
    .option('--split <name=share,...>', 'Write parts, such as train=0.9,test=0.1', readShares)
    .option(
      '--split-by <column>',
      'Keep rows with the same value of this column in one part (default: rows with the same prompt)',
    )
    .option('--shuffle <seed>', 'Write the examples in a random order with this seed', readSeed)
    .option('--max-tokens <n>', 'Leave out examples with more tokens', readTokens)
    .option('--min-tokens <n>', 'Leave out examples with fewer tokens', readTokens)
    .option('--token-counts <name>', 'Add the number of tokens to each example under this name')
    .option(
      '--tokenizer <name>',
      'Tokenizer that counts tokens: o200k, or the path of a tokenizer.json (default: o200k)',
    )
    .option(
      '--add <name=column,...>',
      'Add values to each example, such as topic or score=grade.quality.score',
      readAdded,
    )
    .option('--provenance', 'Add provenance to each example: an identifier, models, config and version')
    .option('--license <name>', 'The licence that --provenance names')
    .option('--shard-size <size>', 'Begin another file after this size, such as 500MB', readSize)
    .addOption(
      withChoices(
        new Option('--compression <kind>', 'Compress the files (default: by the extension, .gz or .zst)'),
        COMPRESSIONS,
      ),
    )
    .addHelpText(
      'after',
      examples(
        'export artifacts/facts -o facts.csv',
        'export artifacts/facts -f trl-sft -o sft/ --split train=0.9,test=0.1 --split-by topic',
        'export artifacts/facts --apply-edits --drop-rejected -o reviewed.parquet',
      ),
    )
    .action(async (folder: string, flags: ExportFlags, command: Command) => {
      const { exportDataset } = await import('./flow/export-flow.ts');
      await exportDataset(folder, flags, command);
    });
}

/** `a=x,b=y` as an object. */
function readPairs(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if (at < 0 || name === '' || value === '') throw new InvalidArgumentError(`'${pair}' is not NAME=VALUE.`);
    return [name, value] as const;
  });
  const twice = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) < index);
  if (twice) throw new InvalidArgumentError(`'${twice[0]}' is there twice.`);
  return Object.fromEntries(pairs);
}

/** Names of values with their columns; a column alone keeps its name. */
function readAdded(text: string): Readonly<Record<string, string>> {
  return readPairs(
    text
      .split(',')
      .map((pair) => (pair.includes('=') ? pair : `${pair}=${pair}`))
      .join(','),
  );
}

function readShares(text: string): Readonly<Record<string, number>> {
  const shares = Object.entries(readPairs(text)).map(([name, share]) => [name, Number(share)] as const);
  const bad = shares.find(([, share]) => Number.isNaN(share));
  if (bad) throw new InvalidArgumentError(`The share of '${bad[0]}' is not a number.`);
  return Object.fromEntries(shares);
}

function readSeed(text: string): number {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(seed))
    throw new InvalidArgumentError('A seed is a whole number, 0 or more.');
  return seed;
}

function readTokens(text: string): number {
  const tokens = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(tokens)) {
    throw new InvalidArgumentError('A number of tokens is a whole number, 1 or more.');
  }
  return tokens;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, KB: 1e3, MB: 1e6, GB: 1e9 };

function readSize(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?) *([KMG]?B?)$/i.exec(text) ?? [];
  const factor = UNITS[unit.toUpperCase()] ?? UNITS[`${unit.toUpperCase()}B`] ?? 1;
  const size = Math.floor(Number(digits) * factor);
  if (digits === '' || size < 1)
    throw new InvalidArgumentError('A size is a number of bytes, or one with KB, MB or GB.');
  return size;
}

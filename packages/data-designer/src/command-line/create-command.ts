import { joinProviders, loadDocument, loadProviders, type Providers } from '@data-designer/config';
import type { RunEvent } from '@data-designer/engine';
import { Command, InvalidArgumentError } from 'commander';
import { interruptSignal } from './interrupt-signal.ts';
import { printRecord } from './print-record.ts';

interface CreateFlags {
  readonly numRecords: number;
  readonly datasetName: string;
  readonly artifactPath: string;
  readonly providers: readonly string[];
  readonly seed?: number;
  readonly show: number;
  readonly json: boolean;
}

/** `data-designer create SRC`: makes a dataset from a config file. */
export function createCommand(): Command {
  return new Command('create')
    .description('Make a dataset from a config file.')
    .argument('<source>', 'the config: a YAML or JSON file')
    .option('-n, --num-records <n>', 'rows to make', atLeast(1), 10)
    .option('-d, --dataset-name <name>', 'name of its folder', 'dataset')
    .option('-o, --artifact-path <folder>', 'where that folder goes', './artifacts')
    .option('--providers <file>', 'model and MCP providers; may be repeated', collect, [])
    .option('--seed <n>', 'seed of all randomness; chosen when not given', atLeast(0))
    .option('--show <n>', 'records to print at the end', atLeast(0), 0)
    .option('--json', 'print one JSON object instead of text', false)
    .action(create);
}

async function create(source: string, flags: CreateFlags): Promise<void> {
  const { DataDesigner } = await import('../data-designer.ts');
  const document = loadDocument(source);
  const providers = joinProviders(...flags.providers.map((file): Providers => loadProviders(file)));
  const designer = new DataDesigner({ artifactPath: flags.artifactPath, providers });
  using interrupt = interruptSignal();
  const results = await designer.create(
    { document, source },
    {
      numRecords: flags.numRecords,
      datasetName: flags.datasetName,
      runConfig: flags.seed === undefined ? {} : { seed: flags.seed },
      signal: interrupt.signal,
      onEvent: (event) => process.stderr.write(progressLine(event)),
    },
  );
  if (flags.json) {
    const { path, datasetName, count, requested, lost, usage } = results;
    process.stdout.write(
      `${JSON.stringify({ path, datasetName, records: count, requested, lost, usage }, undefined, 2)}\n`,
    );
    return;
  }
  await show(results.records(), flags.show);
  for (const { rows, column, message } of results.lost) {
    process.stdout.write(`${rows} rows lost in column '${column}': ${message}\n`);
  }
  process.stdout.write(`${results.count} of ${results.requested} records in ${results.path}\n`);
}

async function show(records: AsyncIterable<Record<string, unknown>>, count: number): Promise<void> {
  let shown = 0;
  for await (const record of records) {
    if (shown >= count) return;
    process.stdout.write(`${printRecord(record, ++shown)}\n`);
  }
}

function progressLine(event: RunEvent): string {
  switch (event.type) {
    case 'run-start':
      return `${event.rows} records in ${event.groups} row groups, seed ${event.seed}, into ${event.path}\n`;
    case 'row-group-end':
      return `row group ${event.group}: ${event.rows} records\n`;
    case 'run-end':
      return `${event.rows} records in ${(event.elapsedMs / 1000).toFixed(1)} s\n`;
  }
}

function atLeast(minimum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= minimum) return value;
    throw new InvalidArgumentError(`It must be a whole number, ${minimum} or more.`);
  };
}

function collect(file: string, before: readonly string[]): string[] {
  return [...before, file];
}

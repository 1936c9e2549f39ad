import { Command } from 'commander';
import type { JoinedRun, JoinEvent } from '@data-designer/cluster';
import type { RunEvent } from '@data-designer/engine';
import { formatCount, pluralize } from '../printing/format-numbers.ts';
import { printJson } from './display/print-results.ts';
import { loadEnvironmentFile } from './environment-file.ts';
import { collect, examples, withPlugins } from './flags/common-flags.ts';
import { describeEvent } from './progress/describe-event.ts';
import { drainOnSignals } from './signals.ts';

/** Progress of a machine is a line this often. */
const LINE_EVERY_MS = 10_000;

interface JoinFlags {
  readonly cluster: string;
  readonly providers: readonly string[];
  readonly functions?: string;
  readonly plugins: readonly string[];
  readonly envFile?: string;
  readonly mediaRoot: readonly string[];
  readonly allowPrivate: boolean;
  readonly json: boolean;
}

/** `data-designer join FOLDER`: makes row groups of a dataset or workflow that a cluster makes. */
export function joinCommand(): Command {
  const command = new Command('join')
    .description(
      'Work on a dataset or workflow that create --cluster makes, together with other machines, until it is finished.',
    )
    .argument('<folder>', 'Folder of the dataset or workflow, which all machines share')
    .requiredOption('--cluster <address>', 'The Redis of the run: redis://host:6379')
    .option('--providers <file>', 'File of model and MCP providers; repeatable', collect, [])
    .option('--functions <file>', "Module that exports the tools of the provider 'functions'")
    .option('--env-file <file>', 'File with the API keys of this machine (default: .env)')
    .option('--media-root <folder>', 'Folder of media files that cells may name; repeatable', collect, [])
    .option('--allow-private', 'Allow validators at private addresses: this machine and its network', false)
    .option('--json', 'Print one JSON object on standard output, and events as JSON lines on standard error', false);
  return withPlugins(command)
    .addHelpText(
      'after',
      examples(
        'join /shared/out/facts --cluster redis://queue:6379',
        'join /shared/out/facts --cluster rediss://queue:6380 --env-file ~/keys.env',
      ),
    )
    .action(join);
}

async function join(folder: string, flags: JoinFlags): Promise<void> {
  if (flags.envFile !== undefined) loadEnvironmentFile(flags.envFile);
  const { DataDesigner } = await import('../data-designer.ts');
  const { readCommon } = await import('./flags/read-common-flags.ts');
  const common = readCommon({ ...flags, allowLocal: false, allowSecret: [], args: [] });
  await using designer = new DataDesigner(common);
  using interrupts = drainOnSignals();
  const joined = await designer.join(folder, {
    connection: flags.cluster,
    drain: interrupts.drain,
    onEvent: flags.json ? (event) => void process.stderr.write(`${JSON.stringify(event)}\n`) : eventPrinter(),
  });
  printJoined(joined, flags);
}

/** Tells how the part of a machine in a run has ended. */
export function printJoined(joined: JoinedRun, { json }: { readonly json: boolean }): void {
  if (json) printJson(joined);
  else process.stdout.write(`${describeJoined(joined)}\n`);
}

function describeJoined({ path, rows, isOver }: JoinedRun): string {
  const made = `This machine made ${pluralize(rows, 'record')}.`;
  return isOver ? `The run on ${path} is over. ${made}` : `Left the run on ${path}; other machines go on. ${made}`;
}

/** Prints the events of a machine, and its progress now and then. */
function eventPrinter(): (event: JoinEvent | RunEvent) => void {
  let printedAt = -Infinity;
  return (event) => {
    const isProgress = event.type === 'join-progress' || event.type === 'progress';
    if (isProgress && performance.now() - printedAt < LINE_EVERY_MS) return;
    if (isProgress) printedAt = performance.now();
    process.stderr.write(`${describe(event)}\n`);
  };
}

function describeStart({
  path,
  groups,
  coordinator,
  standsByFor,
}: JoinEvent & { readonly type: 'join-start' }): string {
  const joined = `Joined the run on ${path}, which ${coordinator} began: ${pluralize(groups, 'row group')}.`;
  if (standsByFor.length === 0) return joined;
  const names = standsByFor.map((alias) => `'${alias}'`).join(' and ');
  return `${joined} The tools ${names} run on one machine (single_machine): this one waits, and takes over if the coordinator is lost.`;
}

function describe(event: JoinEvent | RunEvent): string {
  switch (event.type) {
    case 'join-wait':
      return `There is no run on a cluster in ${event.path} yet; waiting for create --cluster.`;
    case 'join-start':
      return describeStart(event);
    case 'join-progress':
      return `${formatCount(event.rows)} records made here, ${pluralize(event.groups, 'row group')} open.`;
    case 'join-lead':
      return `The coordinator of the run has stopped, and this machine coordinates the run now.`;
    case 'join-orphan':
      return `The coordinator of the workflow in ${event.path} has stopped, and this machine cannot take its place: ${event.reason.replace(/\.$/, '')}. Continue the workflow with create … --resume always --cluster, or with run({ resume: 'always', cluster }) in code; this machine waits for it.`;
    default:
      return describeEvent(event);
  }
}

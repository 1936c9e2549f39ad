import { resolve } from 'node:path';
import { Command } from 'commander';
import type { JoinedRun, JoinedRunEvent, JoinEvent } from '@data-designer/cluster';
import { pluralize } from '@data-designer/printing';
import { printEarlyEnd, printJson } from './display/print-results.ts';
import { loadEnvironmentFile } from './environment-file.ts';
import { exitCodeOfJoined } from './exit-codes.ts';
import { examples, withPlugins } from './flags/common-flags.ts';
import { collect, parseDuration } from './flags/parse-flags.ts';
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
  /** In seconds. */
  readonly wait?: number;
  readonly json: boolean;
}

/** `data-designer join FOLDER`: makes row groups of a dataset or workflow that a cluster makes. */
export function joinCommand(): Command {
  const command = new Command('join')
    .description('Help to make the dataset or workflow that create --cluster started on another machine.')
    .argument('<folder>', 'Folder of the dataset or workflow, which all machines share')
    .requiredOption('--cluster <address>', 'The Redis of the run: redis://host:6379')
    .option('--providers <file>', 'File of model and MCP providers; repeatable', collect, [])
    .option('--functions <file>', "Module that exports the tools of the provider 'functions'")
    .option('--env-file <file>', 'File with the API keys of this machine (default: .env)')
    .option('--media-root <folder>', 'Folder of media files that cells may contain as paths; repeatable', collect, [])
    .option('--allow-private', 'Allow validators at private addresses: this machine and its network', false)
    .option('--wait <time>', 'Fail if no run has begun after this time, such as 10m (default: no limit)', parseDuration)
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
  const { DataDesigner } = await import('@data-designer/designer/data-designer');
  const { readCommon } = await import('./flags/read-common-flags.ts');
  const common = readCommon({ ...flags, allowLocal: false, allowSecret: [], args: [] });
  await using designer = new DataDesigner(common);
  using interrupts = drainOnSignals({ isOneOfMany: true });
  const joined = await designer.join(folder, {
    connection: flags.cluster,
    drain: interrupts.drain,
    ...(flags.wait !== undefined && { waitSeconds: flags.wait }),
    onEvent: flags.json
      ? (event) => void process.stderr.write(`${JSON.stringify(event)}\n`)
      : await eventPrinter(resolve(folder)),
  });
  printJoined(joined, flags);
  process.exitCode = exitCodeOfJoined(joined);
}

/** Tells how the part of a machine in a run has ended. */
export function printJoined(joined: JoinedRun, { json }: { readonly json: boolean }): void {
  if (json) return printJson(joined);
  process.stdout.write(`${describeJoined(joined)}\n`);
  printEarlyEnd(joined.ended);
}

function describeJoined({ path, rows, isOver }: JoinedRun): string {
  const made = `This machine made ${pluralize(rows, 'record')}.`;
  return isOver ? `The run on ${path} is over. ${made}` : `Left the run on ${path}; other machines go on. ${made}`;
}

/** Prints the events of a machine in a folder, and now and then its progress and that of the runs it coordinates. */
async function eventPrinter(joined: string): Promise<(event: JoinEvent | JoinedRunEvent) => void> {
  const { describeJoinEvent } = await import('./progress/describe-join-event.ts');
  const printedAt = new Map<string, number>();
  return (event) => {
    if (event.type === 'join-progress' || event.type === 'progress') {
      const about = event.type === 'progress' ? event.folder : '';
      if (performance.now() - (printedAt.get(about) ?? -Infinity) < LINE_EVERY_MS) return;
      printedAt.set(about, performance.now());
    }
    process.stderr.write(`${describeJoinEvent(event, joined)}\n`);
  };
}

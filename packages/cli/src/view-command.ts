import { constants, setPriority } from 'node:os';
import { Command } from 'commander';
import type { OpenViewerOptions } from '@data-designer/results';
import { examples, withPlugins } from './flags/common-flags.ts';
import { collect, parsePort } from './flags/parse-flags.ts';
import { refuseUnused } from './flags/refuse-unused.ts';
import { onStopSignals } from './signals.ts';

interface ViewFlags {
  readonly port?: number;
  readonly host: string;
  readonly allowHost: readonly string[];
  readonly compare?: string;
  readonly bundle?: string;
  readonly traces?: boolean;
  readonly reviews?: boolean;
  readonly open: boolean;
  readonly plugins: readonly string[];
  readonly mediaRoot: readonly string[];
  readonly json: boolean;
}

/** `data-designer view DATASET`: shows a dataset, and the run that makes it, in the browser. */
export function viewCommand(): Command {
  const command = new Command('view')
    .description('Show a dataset, and the run that makes it, in the browser.')
    .argument(
      '[folder]',
      'Dataset folder, workflow folder, or a folder of datasets, which opens a list of runs',
      'artifacts',
    )
    .option('--compare <folder>', 'Another dataset to compare with, row by row')
    .option(
      '--port <n>',
      'Port to listen at; 0 picks a free one (default: the same one each time for a folder)',
      parsePort,
    )
    .option('--host <address>', 'Address to listen at; with the default, only this machine can connect', '127.0.0.1')
    .option('--allow-host <name>', 'Another host name that browsers may use in the address; repeatable', collect, [])
    .option('--media-root <folder>', 'Folder of media files that cells may contain as paths; repeatable', collect, [])
    .option('--no-open', 'Print the address without opening a browser')
    .option('--json', 'Print the address or the copy as one JSON object, and open no browser', false);
  withPlugins(command)
    .optionsGroup('A static copy for other web servers:')
    .option('--bundle <folder>', 'Write the pages and the rows to this folder instead of starting a server')
    .option('--traces', 'Include conversations and raw answers (default: ask, or leave them out without a terminal)')
    .option('--no-traces', 'Leave out conversations and raw answers')
    .option('--reviews', 'Include the reviews of rows (default: ask, or leave them out without a terminal)')
    .option('--no-reviews', 'Leave out the reviews of rows');
  refuseUnused<ViewFlags>(command, [
    {
      flags: ['port', 'host', 'allowHost', 'open'],
      unless: ({ bundle }) =>
        bundle === undefined ? undefined : 'with --bundle, which starts no server: leave out one of them',
    },
    {
      flags: ['mediaRoot'],
      unless: ({ bundle }) =>
        bundle === undefined ? undefined : 'with --bundle, whose copy has the files of the dataset folder alone',
    },
    {
      flags: ['traces', 'reviews'],
      unless: ({ bundle }) => (bundle === undefined ? 'without --bundle: add a folder for the copy' : undefined),
    },
  ]);
  return command
    .addHelpText(
      'after',
      '\nThe printed address contains the token of the server: everybody who has this address can read the dataset.',
    )
    .addHelpText(
      'after',
      examples(
        'view',
        'view artifacts/facts',
        'view artifacts/facts --compare artifacts/facts_2',
        'view artifacts/facts --bundle site',
      ),
    )
    .action(view);
}

async function view(folder: string, flags: ViewFlags): Promise<void> {
  const { bundle, port } = flags;
  if (bundle !== undefined) {
    const { copyDataset } = await import('./display/copy-dataset.ts');
    return copyDataset(folder, { ...flags, to: bundle });
  }
  const closing = new AbortController();
  using _ = onStopSignals(() => {
    if (closing.signal.aborted) process.exit(130);
    closing.abort();
  });
  await showInBrowser(folder, flags, { port, signal: closing.signal });
}

/** Opens a viewer and a browser, and resolves once the viewer is closed. */
async function showInBrowser(folder: string, flags: ViewFlags, at: OpenViewerOptions): Promise<void> {
  const { host, allowHost: allowedHosts, compare, plugins, mediaRoot: mediaRoots, open, json } = flags;
  const { openViewer } = await import('@data-designer/results/open-viewer');
  const { openBrowser } = await import('./display/open-browser.ts');
  await using viewer = await openViewer(folder, { ...at, host, allowedHosts, compare, plugins, mediaRoots });
  const { address } = viewer;
  if (json) process.stdout.write(`${JSON.stringify({ address })}\n`);
  else process.stdout.write(`Viewing ${folder} at ${address}\nCtrl-C closes the viewer.\n`);
  if (open && !json) openBrowser(viewer.addressForOnce());
  yieldToRuns();
  await viewer.ended;
}

/** Lowers the priority of this process, so that a run on this machine goes first. A browser that it started keeps its own. */
function yieldToRuns(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Some containers forbid it.
  }
}

import { Command } from 'commander';
import { asGroup, type CommonFlags, withCommonFlags } from './flags/common-flags.ts';
import { atLeast, parsePort } from './flags/parse-flags.ts';
import { listToolsCommand } from './list-tools-command.ts';
import { onStopSignals } from './signals.ts';

interface ServeFlags extends CommonFlags {
  readonly http?: number;
  readonly artifactPath: string;
  readonly maxRecords: number;
}

/** The environment variable of the token that clients over HTTP must send. */
const TOKEN = 'DATA_DESIGNER_MCP_TOKEN';

/** `data-designer mcp`: serves Data Designer to MCP clients, and lists the tools of providers. */
export function mcpCommand(): Command {
  const serve = new Command('serve')
    .description('Let MCP clients make and read datasets, over stdio or HTTP.')
    .argument('[folder]', 'Folder of configs; each config becomes a tool')
    .option(
      '--http <port>',
      'Serve over streamable HTTP on this machine; 0 picks a free port (default: serve over stdio)',
      parsePort,
    )
    .option('-o, --artifact-path <folder>', 'Parent folder of the dataset folders', './artifacts')
    .option('--max-records <n>', 'Maximum records per call', atLeast(1), 10_000);
  for (const option of withCommonFlags(new Command()).options) {
    if (option.long === '--json') continue;
    if (option.long === '--max-cost') option.description = 'Maximum cost of all runs together';
    serve.addOption(option);
  }
  serve.addHelpText(
    'after',
    `\nIf the environment variable ${TOKEN} is set, HTTP clients must send it as bearer token.`,
  );
  return asGroup(new Command('mcp'))
    .description('Serve Data Designer to coding agents and other MCP clients, and list the tools of MCP providers.')
    .addCommand(serve.action(serveDatasets))
    .addCommand(listToolsCommand());
}

async function serveDatasets(folder: string | undefined, flags: ServeFlags): Promise<void> {
  const { serveDatasets: serve } = await import('@data-designer/designer/serve-datasets');
  const { readCommon } = await import('./flags/read-common-flags.ts');
  const { artifactPath, maxRecords, maxCost, http } = flags;
  // The flag limits all runs together, not each run.
  const { maxCost: _, ...each } = flags;
  using signals = stopSignals();
  await serve(
    { common: readCommon(each), artifactPath, maxRecords, maxCost },
    {
      folder,
      port: http,
      token: process.env[TOKEN] || undefined,
      end: signals.end,
      stopNow: signals.stopNow,
      say: (message) => process.stderr.write(`${message}\n`),
    },
  );
}

/**
 * Drains the runs on the first Ctrl-C or SIGTERM, stops them on the second, and exits on the third. A client that closes
 * stdin counts as the first: a signal after it stops the runs.
 */
function stopSignals(): Disposable & { readonly end: AbortSignal; readonly stopNow: AbortSignal } {
  const end = new AbortController();
  const stopNow = new AbortController();
  const onClose = (): void => end.abort();
  const handler = onStopSignals(() => {
    if (stopNow.signal.aborted) process.exit(130);
    if (end.signal.aborted) stopNow.abort();
    end.abort();
  });
  process.stdin.once('end', onClose);
  return {
    end: end.signal,
    stopNow: stopNow.signal,
    [Symbol.dispose]: () => {
      handler[Symbol.dispose]();
      process.stdin.off('end', onClose);
    },
  };
}

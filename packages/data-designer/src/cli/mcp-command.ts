import { Command, InvalidArgumentError } from 'commander';
import { atLeast, type CommonFlags, withCommonFlags } from './flags/common-flags.ts';

interface ServeFlags extends CommonFlags {
  readonly http?: number;
  readonly artifactPath: string;
  readonly maxRecords: number;
}

/** The environment variable of the token that clients over HTTP must send. */
const TOKEN = 'DATA_DESIGNER_MCP_TOKEN';

/** `data-designer mcp`: this tool as a server of tools. */
export function mcpCommand(): Command {
  const serve = new Command('serve')
    .description('Serve the making of datasets to MCP clients, over stdio unless told otherwise.')
    .argument('[folder]', 'a folder whose configs become tools of their own')
    .option('--http <port>', 'serve over streamable HTTP on this machine; 0 takes any free port', port)
    .option('-o, --artifact-path <folder>', 'where datasets are made and read', './artifacts')
    .option('--max-records <n>', 'records that one call may ask for', atLeast(1), 10_000);
  for (const option of withCommonFlags(new Command()).options) {
    if (option.long === '--json') continue;
    if (option.long === '--max-cost') option.description = 'what all that is made here may cost together';
    serve.addOption(option);
  }
  serve.addHelpText('after', `\nOver HTTP, clients must send ${TOKEN} as their bearer token where it is set.`);
  return new Command('mcp').description('Serve this tool to MCP clients.').addCommand(serve.action(serveDatasets));
}

function port(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
  throw new InvalidArgumentError('It must be a port: a number from 0 to 65535.');
}

async function serveDatasets(folder: string | undefined, flags: ServeFlags): Promise<void> {
  const { serveDatasets: serve } = await import('../serve/serve-datasets.ts');
  const { readCommon } = await import('./flags/read-common-flags.ts');
  const { artifactPath, maxRecords, maxCost, http } = flags;
  // What the flag bounds is all runs together, not each.
  const { maxCost: _, ...each } = flags;
  using ending = endSignals();
  await serve(
    { common: readCommon(each), artifactPath, maxRecords, maxCost },
    {
      folder,
      port: http,
      token: process.env[TOKEN] || undefined,
      end: ending.end,
      hurry: ending.hurry,
      say: (message) => process.stderr.write(`${message}\n`),
    },
  );
}

/**
 * What SIGINT and SIGTERM do: the first lets runs drain, a second ends them at once, a third the process. A client that
 * closes stdin has asked once already: what it sends then has no time left.
 */
function endSignals(): Disposable & { readonly end: AbortSignal; readonly hurry: AbortSignal } {
  const end = new AbortController();
  const hurry = new AbortController();
  const closed = (): void => end.abort();
  const stop = (): void => {
    if (hurry.signal.aborted) process.exit(130);
    if (end.signal.aborted) hurry.abort();
    end.abort();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.on(name, stop);
  process.stdin.once('end', closed);
  return {
    end: end.signal,
    hurry: hurry.signal,
    [Symbol.dispose]: () => {
      for (const name of signals) process.off(name, stop);
      process.stdin.off('end', closed);
    },
  };
}

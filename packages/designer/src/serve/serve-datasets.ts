import { loadPlugins } from '@data-designer/columns';
import { type ColumnRegistry, readHome } from '@data-designer/config';
import { serveTools, type ToolDefinition, type ToolServer } from '@data-designer/mcp';
import { columnTypeTool } from './column-type-tool.ts';
import { configTools } from './config-tools.ts';
import { DatasetMaker, type ServeSettings } from './dataset-maker.ts';
import { datasetTools } from './dataset-tools.ts';
import { modelTool } from './model-tool.ts';
import { readFolder } from './folder-configs.ts';
import { packageVersion, pluginAddress } from '@data-designer/declaration';
import { folderTool } from './folder-tools.ts';

/** How to serve datasets. */
export interface ServeDatasetsOptions {
  /** The folder whose config files become tools. */
  readonly folder?: string | undefined;
  /** The port for streamable HTTP, 0 for any free one; default: stdio. */
  readonly port?: number | undefined;
  /** The bearer token that HTTP clients must send. */
  readonly token?: string | undefined;
  /** Ends the server and drains its runs. */
  readonly end: AbortSignal;
  /** Stops the runs at once; received answers are kept. */
  readonly stopNow: AbortSignal;
  /** Called with messages for the user, one sentence each. */
  readonly say: (message: string) => void;
}

const INSTRUCTIONS = `Makes synthetic datasets from declared columns. list_column_types describes the contents of a config,
list_models names its models and what they lack, validate_config finds its mistakes, preview_config makes a few records; start_dataset makes a dataset in the background,
watch_dataset returns its progress, read_records reads it. Tools named make_… make datasets from existing configs.`;

/** Serves tools that make datasets over MCP; resolves when the client has left or `end` is aborted, and all runs have ended. */
export async function serveDatasets(settings: ServeSettings, options: ServeDatasetsOptions): Promise<void> {
  const { end, stopNow, say, port, token } = options;
  const maker = new DatasetMaker(settings);
  const { plugins = [] } = settings.common;
  const registry = await loadPlugins(plugins.map(pluginAddress));
  const tools = toolsOf(maker, registry, options);
  const transport = port === undefined ? 'stdio' : 'streamable_http';
  const server = await serveTools(tools, {
    name: 'data-designer',
    version: packageVersion(),
    transport,
    instructions: INSTRUCTIONS,
    port,
    token,
  });
  say(`Serving ${tools.length} tools ${server.address === undefined ? 'over stdio' : `at ${server.address}`}.`);
  await untilEnd(server, end);
  stopNow.addEventListener('abort', () => maker.stop(REASON), { once: true });
  const drained = maker.drain(REASON);
  if (stopNow.aborted) maker.stop(REASON);
  await drained;
  await server[Symbol.asyncDispose]();
}

const REASON = 'the server has ended; the dataset can be resumed';

function toolsOf(
  maker: DatasetMaker,
  registry: ColumnRegistry,
  { folder, say }: ServeDatasetsOptions,
): readonly ToolDefinition[] {
  const { settings } = maker;
  const fixed = [
    columnTypeTool(registry),
    modelTool(settings),
    ...configTools(maker, registry),
    ...datasetTools(maker, registry),
  ];
  if (folder === undefined) return fixed;
  const { configs, leftOut } = readFolder(folder, registry, maker.settings.common.home ?? readHome());
  for (const message of leftOut) say(message);
  return [...fixed, ...configs.map((config) => folderTool(maker, config))];
}

/** Resolves when the last client has left, or `end` is aborted. */
async function untilEnd({ ended }: ToolServer, end: AbortSignal): Promise<void> {
  if (end.aborted) return;
  const aborted = new Promise<void>((resolve) => end.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([ended, aborted]);
}

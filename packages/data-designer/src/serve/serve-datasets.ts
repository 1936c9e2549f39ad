import { readFileSync } from 'node:fs';
import { loadPlugins } from '@data-designer/columns';
import { type ColumnRegistry, readHome } from '@data-designer/config';
import { serveTools, type ToolDefinition, type ToolServer } from '@data-designer/mcp';
import { columnTypeTool } from './column-type-tool.ts';
import { configTools } from './config-tools.ts';
import { DatasetMaker } from './dataset-maker.ts';
import { datasetTools } from './dataset-tools.ts';
import { readFolder } from './folder-configs.ts';
import { pluginAddress } from '../options/plugin-address.ts';
import { folderTool } from './folder-tools.ts';
import type { ServeSettings } from './serve-settings.ts';

/** How this tool is served. */
export interface ServeDatasetsOptions {
  /** The folder whose config files become tools. */
  readonly folder?: string | undefined;
  /** The port for streamable HTTP, 0 for any free one; over stdio unless given. */
  readonly port?: number | undefined;
  /** What HTTP clients must send as their bearer token. */
  readonly token?: string | undefined;
  /** Aborted when the server is to end; what is being made is then drained. */
  readonly end: AbortSignal;
  /** Aborted when there is no time for that: runs end at once, and what was received is kept. */
  readonly hurry: AbortSignal;
  /** Told, a sentence each, what the user had better know. */
  readonly say: (message: string) => void;
}

const INSTRUCTIONS = `Makes synthetic datasets from declared columns. list_column_types says what a config may hold,
validate_config finds its mistakes, preview_config makes a few records; start_dataset makes a dataset in the background,
watch_dataset follows it, read_records reads it. Tools named make_… make datasets whose configs are already there.`;

/** Serves the making of datasets over MCP; resolves when the client has gone or `end` is aborted, and no run is left. */
export async function serveDatasets(settings: ServeSettings, options: ServeDatasetsOptions): Promise<void> {
  const { end, hurry, say, port, token } = options;
  const maker = new DatasetMaker(settings);
  const { plugins = [] } = settings.common;
  const registry = await loadPlugins(plugins.map(pluginAddress));
  const tools = toolsOf(maker, registry, options);
  const transport = port === undefined ? 'stdio' : 'streamable_http';
  const server = await serveTools(tools, {
    name: 'data-designer',
    version: version(),
    transport,
    instructions: INSTRUCTIONS,
    port,
    token,
  });
  say(`${tools.length} tools are served ${server.address === undefined ? 'over stdio' : `at ${server.address}`}.`);
  await ending(server, end);
  hurry.addEventListener('abort', () => maker.stop(REASON), { once: true });
  const drained = maker.drain(REASON);
  if (hurry.aborted) maker.stop(REASON);
  await drained;
  await server[Symbol.asyncDispose]();
}

const REASON = 'the server that made it has ended; it can be gone on with';

function toolsOf(
  maker: DatasetMaker,
  registry: ColumnRegistry,
  { folder, say }: ServeDatasetsOptions,
): readonly ToolDefinition[] {
  const fixed = [columnTypeTool(registry), ...configTools(maker, registry), ...datasetTools(maker, registry)];
  if (folder === undefined) return fixed;
  const { configs, leftOut } = readFolder(folder, registry, maker.settings.common.home ?? readHome());
  for (const message of leftOut) say(message);
  return [...fixed, ...configs.map((config) => folderTool(maker, config))];
}

/** Resolves when the server serves nobody any more, or is to end. */
async function ending({ ended }: ToolServer, end: AbortSignal): Promise<void> {
  if (end.aborted) return;
  const asked = new Promise<void>((resolve) => end.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([ended, asked]);
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The files of the home folder. */
const HOME_FILES = {
  modelProviders: 'model_providers.yaml',
  modelConfigs: 'model_configs.yaml',
  mcpProviders: 'mcp_providers.yaml',
  toolConfigs: 'tool_configs.yaml',
} as const;

/** A file of the home folder, named after its contents. */
export type HomeFile = keyof typeof HOME_FILES;

/** The files of the home folder, in order. */
export const HOME_FILE_LIST = [
  'modelProviders',
  'modelConfigs',
  'mcpProviders',
  'toolConfigs',
] as const satisfies readonly HomeFile[];

/** The folder with a user's own providers, models and tools; all paths are absolute. */
export interface HomeFolder {
  readonly path: string;
  readonly files: Readonly<Record<HomeFile, string>>;
  /** The file of execution providers, which the Python tool does not have. */
  readonly executionProviders: string;
  /** The folder for downloaded data sets. */
  readonly managedAssets: string;
  /** The file of the catalogs of plug-ins; the Python tool has its own one, for catalogs of Python packages. */
  readonly pluginCatalogs: string;
  /** The folder for downloaded catalogs. */
  readonly pluginCatalogCache: string;
}

/** The home folder and managed assets by environment variables or defaults (as in NeMo Data Designer). */
export function homeFolder(environment: Readonly<Record<string, string | undefined>> = process.env): HomeFolder {
  const path = folderOf(environment.DATA_DESIGNER_HOME) ?? join(homedir(), '.data-designer');
  const managedAssets = folderOf(environment.DATA_DESIGNER_MANAGED_ASSETS_PATH) ?? join(path, 'managed-assets');
  const files = {
    modelProviders: join(path, HOME_FILES.modelProviders),
    modelConfigs: join(path, HOME_FILES.modelConfigs),
    mcpProviders: join(path, HOME_FILES.mcpProviders),
    toolConfigs: join(path, HOME_FILES.toolConfigs),
  };
  const pluginCatalogs = join(path, 'npm_plugin_catalogs.yaml');
  return {
    path,
    files,
    executionProviders: join(path, 'execution_providers.yaml'),
    managedAssets,
    pluginCatalogs,
    pluginCatalogCache: join(path, 'npm-plugin-catalog-cache'),
  };
}

/** The folder in a variable; a shell leaves `~` as it is in a quoted value. */
function folderOf(value: string | undefined): string | undefined {
  if (value === undefined || value.trim() === '') return undefined;
  return resolve(value.replace(/^~(?=$|[/\\])/, homedir()));
}

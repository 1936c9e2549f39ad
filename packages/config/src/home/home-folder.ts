import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The files of the home folder by what they hold. */
const HOME_FILES = {
  modelProviders: 'model_providers.yaml',
  modelConfigs: 'model_configs.yaml',
  mcpProviders: 'mcp_providers.yaml',
  toolConfigs: 'tool_configs.yaml',
} as const;

/** What one of the home folder's files holds. */
export type HomeFile = keyof typeof HOME_FILES;

/** The files of the home folder, in order. */
export const HOME_FILE_LIST = [
  'modelProviders',
  'modelConfigs',
  'mcpProviders',
  'toolConfigs',
] as const satisfies readonly HomeFile[];

/** Where a user's own providers, models and tools are kept; all paths are absolute. */
export interface HomeFolder {
  readonly path: string;
  readonly files: Readonly<Record<HomeFile, string>>;
  /** Where downloaded data sets go. */
  readonly managedAssets: string;
}

/**
 * The home folder: DATA_DESIGNER_HOME, else `.data-designer` in the user's folder; its managed assets:
 * DATA_DESIGNER_MANAGED_ASSETS_PATH, else a folder within it (as in NeMo Data Designer). Nothing is read or made.
 */
export function homeFolder(environment: Readonly<Record<string, string | undefined>> = process.env): HomeFolder {
  const path = folderOf(environment.DATA_DESIGNER_HOME) ?? join(homedir(), '.data-designer');
  const managedAssets = folderOf(environment.DATA_DESIGNER_MANAGED_ASSETS_PATH) ?? join(path, 'managed-assets');
  const files = {
    modelProviders: join(path, HOME_FILES.modelProviders),
    modelConfigs: join(path, HOME_FILES.modelConfigs),
    mcpProviders: join(path, HOME_FILES.mcpProviders),
    toolConfigs: join(path, HOME_FILES.toolConfigs),
  };
  return { path, files, managedAssets };
}

/** A folder as a variable names it; a shell does not unfold `~` where the value was quoted or came from a file. */
function folderOf(value: string | undefined): string | undefined {
  if (value === undefined || value.trim() === '') return undefined;
  return resolve(value.replace(/^~(?=$|[/\\])/, homedir()));
}

import { z } from 'zod';
import { printYaml } from '../builder/print-yaml.ts';
import { writeForm } from '../read-form.ts';
import { modelConfig, type ModelConfig } from '../schemas/model-config.ts';
import { type MCPProvider, mcpProvider, type ModelProvider, modelProvider } from '../schemas/providers.ts';
import { toolConfig, type ToolConfig } from '../schemas/tool-config.ts';
import { HOME_FILE_LIST, type HomeFile, type HomeFolder } from './home-folder.ts';
import { makePrivateFolder, writePrivateFile } from './private-file.ts';
import { stockModelConfigs, stockModelProviders } from './stock.ts';

/** What to write into the home folder; a file that is left out stays as it is. */
export interface HomeContents {
  readonly modelProviders?: readonly ModelProvider[];
  readonly modelConfigs?: readonly ModelConfig[];
  readonly mcpProviders?: readonly MCPProvider[];
  readonly toolConfigs?: readonly ToolConfig[];
}

/** A file that was to be written: it was, or was there before and is as it was. */
export interface WrittenFile {
  readonly file: HomeFile;
  readonly path: string;
  readonly written: boolean;
}

const SCHEMAS = {
  modelProviders: z.strictObject({ providers: z.array(modelProvider) }),
  modelConfigs: z.strictObject({ modelConfigs: z.array(modelConfig) }),
  mcpProviders: z.strictObject({ providers: z.array(mcpProvider) }),
  toolConfigs: z.strictObject({ toolConfigs: z.array(toolConfig) }),
} as const satisfies Record<HomeFile, z.ZodObject>;

/**
 * Writes files of the home folder as the Python tool does, each in full or not at all, for the user alone to read. A
 * file that is there is left alone unless `overwrite` says otherwise. Throws `dataset/unwritable`.
 */
export function writeHome(
  { path: folder, files }: HomeFolder,
  contents: HomeContents,
  { overwrite = false }: { readonly overwrite?: boolean } = {},
): readonly WrittenFile[] {
  makePrivateFolder(folder);
  return HOME_FILE_LIST.flatMap((file) => {
    const entries = contents[file];
    if (entries === undefined) return [];
    const path = files[file];
    return [{ file, path, written: writePrivateFile(path, textOf(file, entries), overwrite) }];
  });
}

function textOf(file: HomeFile, entries: readonly unknown[]): string {
  const schema = SCHEMAS[file];
  const [key = ''] = Object.keys(schema.shape);
  return printYaml(writeForm(schema, { [key]: entries }));
}

/**
 * Writes what is missing of the home folder: stock model providers and models, and empty lists of MCP providers and tool
 * configs. What is there stays as it is. Throws `dataset/unwritable`.
 */
export function initHome(folder: HomeFolder): readonly WrittenFile[] {
  return writeHome(folder, {
    modelProviders: stockModelProviders,
    modelConfigs: stockModelConfigs(),
    mcpProviders: [],
    toolConfigs: [],
  });
}

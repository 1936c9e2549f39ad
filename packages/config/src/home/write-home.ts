import { lstatSync } from 'node:fs';
import { z } from 'zod';
import { printYaml } from '../builder/print-yaml.ts';
import { writeForm } from '../read-form.ts';
import { modelConfig, type ModelConfig } from '../schemas/model-config.ts';
import { type MCPProvider, mcpProvider, type ModelProvider, modelProvider } from '../schemas/providers.ts';
import { toolConfig, type ToolConfig } from '../schemas/tool-config.ts';
import { HOME_FILE_LIST, type HomeFile, type HomeFolder } from './home-folder.ts';
import { deleteFile, makePrivateFolder, writeFile } from '../write-file.ts';
import { stockModelConfigs, stockModelProviders } from './stock.ts';

/** The new contents of files of the home folder; other files stay unchanged. */
export interface HomeContents {
  readonly modelProviders?: readonly ModelProvider[];
  readonly modelConfigs?: readonly ModelConfig[];
  readonly mcpProviders?: readonly MCPProvider[];
  readonly toolConfigs?: readonly ToolConfig[];
}

/** A file of `writeHome`; `written` is false if it existed and stays unchanged. */
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

/** Writes files as the Python tool does, atomically and private (0600); existing ones only with `overwrite`. */
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
    return [{ file, path, written: writeFile(path, textOf(file, entries), { overwrite, isPrivate: true }) }];
  });
}

function textOf(file: HomeFile, entries: readonly unknown[]): string {
  const schema = SCHEMAS[file];
  const [key = ''] = Object.keys(schema.shape);
  return printYaml(writeForm(schema, { [key]: entries }));
}

/** The entries that count without a file: stock model providers and models, and empty lists. */
function stockContents(): Required<HomeContents> {
  return { modelProviders: stockModelProviders, modelConfigs: stockModelConfigs(), mcpProviders: [], toolConfigs: [] };
}

/** The text of a new file with the stock entries. */
export function stockText(file: HomeFile): string {
  return textOf(file, stockContents()[file]);
}

/** Creates the missing files with the stock entries; throws `dataset/unwritable`. */
export function initHome(folder: HomeFolder): readonly WrittenFile[] {
  return writeHome(folder, stockContents());
}

/** Deletes files, so that the stock entries apply again, and returns the paths of those that existed; throws `dataset/unwritable`. */
export function resetHome({ files }: HomeFolder, reset: readonly HomeFile[]): readonly string[] {
  const paths = reset.map((file) => files[file]).filter((path) => lstatSync(path, { throwIfNoEntry: false }));
  for (const path of paths) deleteFile(path);
  return paths;
}

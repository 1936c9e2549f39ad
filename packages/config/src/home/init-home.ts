import type { HomeFolder } from './home-folder.ts';
import { stockModelConfigs, stockModelProviders } from './stock.ts';
import { writeHome, type WrittenFile } from './write-home.ts';

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

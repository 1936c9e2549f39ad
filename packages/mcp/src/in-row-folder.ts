import type { StdioToolProvider } from './provider.ts';

/** The place of the row's folder in an argument or a variable of a server. */
const ROW_DIR = /\{\{\s*row_dir\s*\}\}/g;

/** Whether a text names the folder of the row. */
export function namesRowFolder(text: string): boolean {
  return text.search(ROW_DIR) !== -1;
}

/** A provider that works in the folder of a row. Nothing else of a row is in its arguments and variables. */
export function inRowFolder(provider: StdioToolProvider, folder: string): StdioToolProvider {
  const filled = (text: string): string => text.replace(ROW_DIR, () => folder);
  const env = Object.fromEntries(Object.entries(provider.env).map(([name, value]) => [name, filled(value)]));
  return { ...provider, args: provider.args.map(filled), env };
}

import type { Command } from 'commander';
import type { LoadedCatalogs } from '../plugin-packages/load-catalogs.ts';
import { withJson } from '../entry-command.ts';

/** The flags of a command that reads catalogs. */
export interface CatalogFlags {
  readonly catalog?: string;
  readonly refresh: boolean;
  readonly json: boolean;
}

/** Adds the options of a command that reads catalogs. */
export function withCatalogFlags(command: Command): Command {
  return withJson(
    command
      .option('--catalog <alias>', 'Use this catalog only (default: all)')
      .option('--refresh', 'Download the catalogs again, even if a copy is recent', false),
  );
}

/** Reads catalogs, and prints the warnings about them. */
export async function readCatalogs(flags: CatalogFlags): Promise<LoadedCatalogs> {
  const { loadCatalogs } = await import('../plugin-packages/load-catalogs.ts');
  const loaded = await loadCatalogs(flags);
  for (const warning of loaded.warnings) printWarning(warning);
  return loaded;
}

/** Prints a warning on standard error. */
export function printWarning(warning: string): void {
  process.stderr.write(`Warning: ${warning}\n`);
}

import { Command } from 'commander';
import { formatBytes, pluralize } from '@data-designer/printing';
import { examples } from './flags/common-flags.ts';

interface CleanFlags {
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly json: boolean;
}

/** `data-designer clean DATASET`: deletes the candidates of a dataset with a selection. */
export function cleanCommand(): Command {
  return new Command('clean')
    .description(
      'Delete the candidates of a dataset with a selection. Its rows stay, but no rows can be added afterwards.',
    )
    .argument('<folder>', 'Dataset folder')
    .option('--dry-run', 'Show what would be deleted, and delete nothing', false)
    .option('--force', 'Also delete the candidates of an unfinished dataset; their paid answers are lost', false)
    .option('--json', 'Print one JSON object instead of text', false)
    .addHelpText('after', examples('clean artifacts/facts --dry-run', 'clean artifacts/facts'))
    .action(clean);
}

async function clean(folder: string, { dryRun, force, json }: CleanFlags): Promise<void> {
  const { cleanDataset } = await import('@data-designer/results/clean-dataset');
  const { files, bytes } = await cleanDataset(folder, { dryRun, unfinished: force });
  if (json) {
    const { printJson } = await import('./display/print-results.ts');
    return printJson({ path: folder, deleted: !dryRun, files, bytes });
  }
  const what = `${pluralize(files, 'file')} of candidates (${formatBytes(bytes)})`;
  if (files === 0) process.stdout.write(`${folder} has no candidates.\n`);
  else process.stdout.write(dryRun ? `Would delete ${what}.\n` : `Deleted ${what}.\n`);
}

import { Command } from 'commander';
import type { HubPush, HubPushFile } from '@data-designer/results';
import { formatBytes, pluralize, textTable } from '@data-designer/printing';
import { printJson } from './display/print-results.ts';
import { examples, withPlugins } from './flags/common-flags.ts';
import { collect } from './flags/parse-flags.ts';
import { exitOnSignals } from './signals.ts';

interface PushFlags {
  readonly description?: string;
  readonly private: boolean;
  readonly tag: readonly string[];
  readonly revision?: string;
  readonly token?: string;
  readonly reviews: boolean;
  readonly dryRun: boolean;
  readonly plugins: readonly string[];
  readonly json: boolean;
}

/** `data-designer push FOLDER REPO`: pushes a dataset to the Hugging Face Hub. */
export function pushCommand(): Command {
  const command = new Command('push')
    .description('Push a dataset to the Hugging Face Hub in one commit.')
    .argument('<folder>', 'Dataset folder')
    .argument('<repo>', 'Dataset on the Hub: owner/name; created if it does not exist')
    .option('--description <text>', 'Text under the title of the dataset card')
    .option('--tag <tag>', 'Tag of the dataset card; repeatable', collect, [])
    .option('--private', 'Create a private dataset; an existing public one is refused', false)
    .option('--revision <branch>', 'Branch; created if it does not exist (default: main)')
    .option('--token <variable>', 'Environment variable with the access token (default: HF_TOKEN)')
    .option('--reviews', 'Also upload the reviews of rows; they contain the names of their authors', false)
    .option('--dry-run', 'Print the files and their paths on the Hub without sending a request', false)
    .option('--json', 'Print one JSON object', false)
    .hook('preAction', (_, self) => refuseToken(self));
  return withPlugins(command)
    .addHelpText(
      'after',
      examples('push artifacts/facts acme/facts --dry-run', 'push artifacts/facts acme/facts --private'),
    )
    .action(push);
}

/** Refuses a token on the command line, where other users see it; the message does not repeat it. */
function refuseToken(command: Command): void {
  const { token = 'HF_TOKEN' } = command.opts<PushFlags>();
  if (/^[A-Z][A-Z0-9_]*$/.test(token)) return;
  command.error('error: --token needs the name of an environment variable, not the token itself', { exitCode: 2 });
}

async function push(folder: string, repoId: string, flags: PushFlags): Promise<void> {
  const { description, tag: tags, revision, token, dryRun, plugins, json } = flags;
  const { loadDataset } = await import('@data-designer/results/load-dataset');
  using _ = exitOnSignals(() => {});
  const results = await loadDataset(folder, { unfinished: true, plugins });
  const pushed = await results.pushToHub({
    repoId,
    description,
    tags,
    private: flags.private,
    reviews: flags.reviews,
    revision,
    token,
    dryRun,
    onUpload: printUpload,
  });
  if (json) return printJson({ path: results.path, dryRun, ...pushed });
  process.stdout.write(`${(dryRun ? planned(pushed) : outcome(pushed)).join('\n')}\n`);
  if (pushed.reviewsLeftOut === 0) return;
  process.stderr.write(`${pluralize(pushed.reviewsLeftOut, 'review')} left out; --reviews uploads them.\n`);
}

function printUpload({ path, bytes }: HubPushFile): void {
  process.stderr.write(`Uploaded ${path} (${formatBytes(bytes)})\n`);
}

function planned({ url, revision, files }: HubPush): string[] {
  const rows = files.map(({ source, path, bytes }) => [
    source ?? '(written by the push)',
    '->',
    path,
    formatBytes(bytes),
  ]);
  return [
    `${url} (${revision})`,
    ...textTable(rows, { rightFrom: 3 }).map((line) => `  ${line}`),
    `${pluralize(files.length, 'file')}, ${formatBytes(sumOf(files))}. Nothing was sent.`,
  ];
}

function outcome({ url, commit, files, deleted }: HubPush): string[] {
  const sent = files.filter(({ uploaded }) => uploaded);
  const counts = [
    `${pluralize(sent.length, 'file')} uploaded (${formatBytes(sumOf(sent))})`,
    `${files.length - sent.length} already on the Hub`,
    ...(deleted.length === 0 ? [] : [`${deleted.length} deleted`]),
  ];
  return [url, commit === null ? 'The Hub has all files already.' : `${counts.join(', ')}; commit ${commit}`];
}

function sumOf(files: readonly HubPushFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

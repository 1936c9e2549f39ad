import { ReviewLog } from '@data-designer/dataset/reviews';
import { compareFiles } from './compare-files.ts';
import type { HubTarget } from './hub-target.ts';
import { pageOf, readTarget, readToken } from './hub-target.ts';
import { planPush, type PlannedFile, type PushedDataset } from './plan-push.ts';
import { checkPushOptions, type HubPush, type HubPushFile, type PushToHubOptions } from './push-options.ts';

/** The longest wait before the first retry. */
const RETRY_DELAY_MS = 1000;

/**
 * Pushes a dataset to the Hub in one commit. Options, folder and token are checked before the first request. Files that the
 * Hub has are not sent again, and files of a larger earlier push are deleted. Throws `config/invalid`, `secret/missing`,
 * `dataset/*` and `hub/*`.
 */
export async function pushToHub(dataset: PushedDataset, options: PushToHubOptions): Promise<HubPush> {
  checkPushOptions(options);
  const {
    dryRun = false,
    private: isPrivate = false,
    reviews = false,
    signal = new AbortController().signal,
  } = options;
  const target = readTarget(options, process.env);
  const token = dryRun ? undefined : await readToken(options.token, target.repoId, process.env);
  const files = await planPush(dataset, target, options);
  const reviewsLeftOut = reviews ? 0 : (await new ReviewLog(dataset.result.path).read()).size;
  if (!token) return endOf(target, { files, reviewsLeftOut, commit: null });
  const { HubRepository } = await import('./hub-repository.ts');
  const repository = new HubRepository({ target, token, signal, retryDelayMs: RETRY_DELAY_MS });
  const parent = await repository.open(isPrivate);
  const { changed, deleted } = await compareFiles(files, await repository.files(parent));
  if (changed.length === 0 && deleted.length === 0) return endOf(target, { files, reviewsLeftOut, commit: null });
  const { commit, sent } = await repository.commit({
    parent,
    title: `Push ${dataset.result.summary.rows} records with Data Designer`,
    changed,
    deleted,
    onUpload: (file) => options.onUpload?.(shown(file, true)),
  });
  return endOf(target, { files, reviewsLeftOut, commit, sent, deleted });
}

interface PushEnd {
  readonly files: readonly PlannedFile[];
  readonly reviewsLeftOut: number;
  readonly commit: string | null;
  readonly sent?: ReadonlySet<string>;
  readonly deleted?: readonly string[];
}

function endOf(target: HubTarget, end: PushEnd): HubPush {
  const { files, reviewsLeftOut, commit, sent = new Set(), deleted = [] } = end;
  const { repoId, revision } = target;
  const listed = files.map((file) => shown(file, sent.has(file.path)));
  return { url: pageOf(target), repoId, revision, commit, files: listed, reviewsLeftOut, deleted };
}

function shown({ path, bytes, source }: PlannedFile, uploaded: boolean): HubPushFile {
  return { path, bytes, source, uploaded };
}

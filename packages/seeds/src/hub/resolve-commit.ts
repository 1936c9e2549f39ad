import { isMapping } from '@data-designer/config';
import { isFailure } from '@data-designer/core';
import type { WantedHubPart } from './hub-answer.ts';
import { type HubClient, hubUrl, notTheApi } from './hub-client.ts';
import type { HubPath } from './hub-path.ts';

/** A commit of a dataset, and the pattern of the wanted files. */
export interface ResolvedPath {
  readonly dataset: string;
  /** The revision in the seed's path. */
  readonly revision: string;
  /** The hash of its commit. */
  readonly commit: string;
  readonly pattern: string;
}

/** A SHA-1 hash, or SHA-256 in newer repositories. */
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Resolves a revision to its commit, in the second dataset that a path may name if the first is missing. */
export async function resolveCommit(client: HubClient, { datasets, revision }: HubPath): Promise<ResolvedPath> {
  let first: unknown;
  for (const { dataset, pattern } of datasets) {
    try {
      return { dataset, revision, pattern, commit: await commitOf(client, dataset, revision) };
    } catch (thrown) {
      first ??= thrown;
      if (!isOfMissingDataset(thrown, client)) throw thrown;
    }
  }
  throw first;
}

/** Without a token, the Hub answers 401 for datasets that do not exist. */
function isOfMissingDataset(thrown: unknown, { token }: HubClient): boolean {
  if (isFailure(thrown, 'hub/missing')) return thrown.data.part === 'dataset';
  return token === undefined && isFailure(thrown, 'hub/unauthorized') && thrown.data.status === 401;
}

async function commitOf(client: HubClient, dataset: string, revision: string): Promise<string> {
  const { endpoint } = client;
  const wanted: WantedHubPart = { endpoint, dataset, revision, part: 'revision', name: revision };
  const names = ['api', 'datasets', ...dataset.split('/')];
  try {
    const { value } = await client.api(hubUrl(endpoint, [...names, 'revision', revision]), wanted);
    const sha = isMapping(value) ? value['sha'] : undefined;
    if (typeof sha === 'string' && COMMIT.test(sha)) return sha;
  } catch (thrown) {
    // Not every server reports whether the dataset or the revision is missing: this request fails if it is the dataset.
    if (isFailure(thrown, 'hub/missing') && thrown.data.part === 'revision')
      await client.api(hubUrl(endpoint, names), { ...wanted, part: 'dataset', name: dataset });
    throw thrown;
  }
  throw notTheApi(wanted);
}

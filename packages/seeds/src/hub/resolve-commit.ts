import { isMapping } from '@data-designer/config';
import { isFailure } from '@data-designer/core';
import type { Wanted } from './hub-answer.ts';
import { type HubClient, hubUrl, notTheApi } from './hub-client.ts';
import type { HubPath } from './hub-path.ts';

/** A dataset in a state that does not change, and which of its files are meant. */
export interface ResolvedPath {
  readonly dataset: string;
  /** The revision that was asked for. */
  readonly revision: string;
  /** The hash of the commit that it stands for. */
  readonly commit: string;
  readonly pattern: string;
}

/** SHA-1, or in newer repositories SHA-256. */
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * Asks which commit a revision stands for. Where a path may mean two datasets, the second is asked for when there is no
 * first; if there is none either, the failure is that of the first.
 */
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

/** Of a name that nobody has, the Hub says to those without a token that it is not for them. */
function isOfMissingDataset(thrown: unknown, { token }: HubClient): boolean {
  if (isFailure(thrown, 'hub/missing')) return thrown.data.part === 'dataset';
  return token === undefined && isFailure(thrown, 'hub/unauthorized') && thrown.data.status === 401;
}

async function commitOf(client: HubClient, dataset: string, revision: string): Promise<string> {
  const { endpoint } = client;
  const wanted: Wanted = { endpoint, dataset, revision, part: 'revision', name: revision };
  const names = ['api', 'datasets', ...dataset.split('/')];
  try {
    const { value } = await client.api(hubUrl(endpoint, [...names, 'revision', revision]), wanted);
    const sha = isMapping(value) ? value['sha'] : undefined;
    if (typeof sha === 'string' && COMMIT.test(sha)) return sha;
  } catch (thrown) {
    // Not every server says which of the two is missing: if there is no dataset, this second question fails of it.
    if (isFailure(thrown, 'hub/missing') && thrown.data.part === 'revision')
      await client.api(hubUrl(endpoint, names), { ...wanted, part: 'dataset', name: dataset });
    throw thrown;
  }
  throw notTheApi(wanted);
}

/** What the path of a seed on the Hub names. */
export interface HubPath {
  /**
   * The datasets that may be meant, the likelier first: `user/name`, or for the oldest datasets, which have no user,
   * `name`. `pattern` is what is left of the path then: a file or a glob, from the top of the dataset.
   */
  readonly datasets: readonly { readonly dataset: string; readonly pattern: string }[];
  /** A branch, a tag or a commit. */
  readonly revision: string;
}

/** Name of a dataset, or user and name; then a revision, where branches that the Hub makes itself have slashes in them. */
const WITH_REVISION = /^([^/@]+(?:\/[^/@]+)?)@(refs\/(?:convert|pr)\/[^/]+|[^/]+)\/(.+)$/s;

/** What the Hub takes for a name; so much is also safe in addresses and in names of folders. */
const NAME = /^\w[\w.-]*$/;

/**
 * Reads `datasets/<user>/<name>[@<revision>]/<file or glob>`, as DuckDB has it after `hf://`; undefined for other text.
 * In a revision `%2F` stands for `/`, and `~parquet` for the branch `refs/convert/parquet`; without one it is `main`.
 */
export function readHubPath(path: string): HubPath | undefined {
  const rest = /^datasets\/(.+)$/s.exec(path)?.[1];
  if (rest === undefined) return undefined;
  const [, named, written, pattern] = WITH_REVISION.exec(rest) ?? [];
  const isGiven = named !== undefined && written !== undefined && pattern !== undefined;
  const candidates = isGiven ? [{ dataset: named, pattern }] : splits(rest);
  const datasets = candidates.filter((one) => isDataset(one.dataset) && isWhole(one.pattern));
  const revision = isGiven ? revisionOf(written) : 'main';
  return datasets.length === 0 || revision === '' ? undefined : { datasets, revision };
}

/** Where no revision says it, a name may end before the first slash or before the second. */
function splits(rest: string): HubPath['datasets'] {
  const [first = '', second = '', ...others] = rest.split('/');
  return [
    { dataset: `${first}/${second}`, pattern: others.join('/') },
    { dataset: first, pattern: [second, ...others].join('/') },
  ];
}

function isDataset(text: string): boolean {
  return text.split('/').every((name) => NAME.test(name));
}

function isWhole(pattern: string): boolean {
  return pattern.split('/').every((step) => step.trim() !== '' && step !== '.' && step !== '..');
}

function revisionOf(written: string): string {
  const revision = decoded(written);
  return revision.startsWith('~') ? `refs/convert/${revision.slice(1)}` : revision;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

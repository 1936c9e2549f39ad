/** The parts of a path on the Hub. */
export interface HubPath {
  /** The datasets that the path may name, the likelier first; `pattern` is the rest of the path, a file or a glob. */
  readonly datasets: readonly { readonly dataset: string; readonly pattern: string }[];
  /** A branch, a tag or a commit. */
  readonly revision: string;
}

/** A dataset and a revision; branches that the Hub makes itself contain slashes. */
const WITH_REVISION = /^([^/@]+(?:\/[^/@]+)?)@(refs\/(?:convert|pr)\/[^/]+|[^/]+)\/(.+)$/s;

/** A name on the Hub, which is safe in addresses and folder names too. */
const NAME = /^\w[\w.-]*$/;

/**
 * Parses `datasets/<user>/<name>[@<revision>]/<file or glob>`, DuckDB's form after `hf://`; undefined for other text. In a
 * revision `%2F` means `/` and `~parquet` means `refs/convert/parquet`; the default is `main`.
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

/** Without a revision, the name may end at the first slash or at the second. */
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

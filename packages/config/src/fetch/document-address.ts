/** What the path of a document's address ends in. */
const SUFFIX = /\.(?:ya?ml|json)$/i;

/** Whether the path of an address ends as a document's does: in `.yaml`, `.yml` or `.json`. */
export function namesDocument({ pathname }: URL): boolean {
  return SUFFIX.test(pathname);
}

/** Whether the path of an address ends in `.json`. */
export function namesJson({ pathname }: URL): boolean {
  return pathname.toLowerCase().endsWith('.json');
}

const GITHUB = new Set(['github.com', 'www.github.com']);
const HUGGING_FACE = new Set(['huggingface.co', 'www.huggingface.co', 'hf.co']);

/** Owner and repository, then the reference and the path in it. */
const GITHUB_PAGE = /^\/([^/]+\/[^/]+)\/blob\/(.+)$/;

/** Models stand at the top, the rest in a folder of their kind; the oldest repositories have no owner. */
const HUGGING_FACE_PAGE = /^(\/(?:(?:datasets|spaces)\/)?(?:[^/]+\/)?[^/]+)\/blob\/(.+)$/;

/** The address of the file for that of a page which shows it on GitHub or Hugging Face; any other as it is. */
export function documentAddress(url: URL): URL {
  if (GITHUB.has(url.hostname)) {
    const [, repository, path] = GITHUB_PAGE.exec(url.pathname) ?? [];
    return path === undefined ? url : new URL(`https://raw.githubusercontent.com/${repository}/${path}`);
  }
  if (HUGGING_FACE.has(url.hostname)) {
    const [, repository, path] = HUGGING_FACE_PAGE.exec(url.pathname) ?? [];
    return path === undefined ? url : new URL(`https://huggingface.co${repository}/raw/${path}`);
  }
  return url;
}

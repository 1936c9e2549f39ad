/** A view of the app: its page, the row of a record, and the state of the page. */
export interface Address {
  readonly page: string;
  readonly row?: number;
  readonly params: URLSearchParams;
}

/** The page without an address. */
const FIRST_PAGE = 'overview';

/** Reads the fragment of a page's address, such as `#/record/12?q=bees`; an unknown form leads to the first page. */
export function parseAddress(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [page = '', row] = path.split('/');
  const params = new URLSearchParams(query);
  const name = /^[a-z]+$/.test(page) ? page : FIRST_PAGE;
  return row !== undefined && /^\d{1,15}$/.test(row)
    ? { page: name, row: Number(row), params }
    : { page: name, params };
}

/** Writes the fragment that restores a view. */
export function formatAddress({ page, row, params }: Address): string {
  const query = params.toString();
  return `#/${page}${row === undefined ? '' : `/${row}`}${query === '' ? '' : `?${query}`}`;
}

/** The parameters with some of them replaced; undefined or an empty list removes one. */
export function withParams(
  params: URLSearchParams,
  changes: Readonly<Record<string, string | readonly string[] | undefined>>,
): URLSearchParams {
  const changed = new URLSearchParams(params);
  for (const [name, value] of Object.entries(changes)) {
    changed.delete(name);
    const values = typeof value === 'string' ? [value].filter((one) => one !== '') : (value ?? []);
    for (const one of values) changed.append(name, one);
  }
  return changed;
}

/** The token in the fragment that the command prints, `#t=TOKEN` or `#t=TOKEN/record/12`, and the address after it. */
export function takeToken(hash: string): { readonly token: string; readonly rest: string } | undefined {
  const match = /^#t=([\w-]+)(\/.*)?$/s.exec(hash);
  return match === null ? undefined : { token: match[1] ?? '', rest: `#${match[2] ?? '/'}` };
}

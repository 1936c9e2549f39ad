/** The anchor that VitePress gives to a heading. */
export function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]+)\]\([^)]*\)|[`*]/g, '$1')
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .replace(/^(\d)/, '_$1')
    .toLowerCase();
}

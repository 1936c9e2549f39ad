/**
 * Whether the members of a struct are those of a file in a table of Hugging Face: its content in `bytes`, and its `path`. The
 * content is then always Base64, also where it would be text.
 */
export function isStoredFile(members: readonly { readonly name: string }[]): boolean {
  return members.length === 2 && ['bytes', 'path'].every((wanted) => members.some(({ name }) => name === wanted));
}

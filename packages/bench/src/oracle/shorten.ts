import { shrink } from '../fuzz/shrink.ts';

/** Whether a shorter template still shows what is looked into. */
type Shows = (shorter: string) => Promise<boolean>;

/** Tags, and what stands between them. */
const PARTS = /\{%[^]*?%\}|\{\{[^]*?\}\}|\{#[^]*?#\}|[^{]+|\{/g;

/** Parts that are left out together at most, so that a statement goes with its end. */
const MAX_PARTS = 8;

/** How often shorter texts are tried, character by character. */
const MAX_TRIES = 300;

/** The shortest template found that still shows it: first whole tags are left out, then characters. */
export async function shorten(template: string, shows: Shows): Promise<string> {
  let parts: readonly string[] = template.match(PARTS) ?? [];
  for (let count = Math.min(MAX_PARTS, parts.length); count > 0; count--) {
    for (let at = 0; at + count <= parts.length;) {
      const fewer = parts.toSpliced(at, count);
      if (await shows(fewer.join(''))) parts = fewer;
      else at++;
    }
  }
  return await shrink(parts.join(''), shows, { maxTries: MAX_TRIES });
}

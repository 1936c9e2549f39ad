/** How much may be tried. */
export interface ShrinkOptions {
  readonly maxTries: number;
}

/**
 * A shorter text with the same fault: parts are left out, first halves, then ever smaller ones, as long as
 * `isFaulty` says that the fault stays. Gives the text itself where nothing can be left out.
 */
export async function shrink(
  text: string,
  isFaulty: (shorter: string) => Promise<boolean>,
  { maxTries }: ShrinkOptions,
): Promise<string> {
  let shortest = text;
  let tries = 0;
  for (let part = Math.ceil(text.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
    for (let at = 0; at < shortest.length && tries < maxTries; tries++) {
      const shorter = shortest.slice(0, at) + shortest.slice(at + part);
      if (await isFaulty(shorter)) shortest = shorter;
      else at += part;
    }
  }
  return shortest;
}

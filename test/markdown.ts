import { readFileSync } from 'node:fs';
import { anchorOf } from '../docs/.vitepress/anchor.ts';

/** A fenced block of a Markdown page. */
export interface Fence {
  /** `page:line` of its first line. */
  readonly at: string;
  readonly page: string;
  readonly language: string;
  readonly code: string;
  /** The text of the HTML comment on the line before; undefined without one. */
  readonly comment: string | undefined;
}

/** A link of a Markdown page. */
interface Link {
  /** `page:line`. */
  readonly at: string;
  readonly target: string;
}

/** A Markdown page: its fenced blocks, its links, and the anchors of its headings. */
export interface MarkdownPage {
  readonly path: string;
  readonly fences: readonly Fence[];
  readonly links: readonly Link[];
  readonly anchors: ReadonlySet<string>;
}

const FENCE = /^(?<indent> *)(?<ticks>`{3,}|~{3,})\s*(?<language>[\w-]*)/;
const COMMENT = /^\s*<!-- (?<text>.+) -->\s*$/;

/** Reads a Markdown page. */
export function readPage(path: string): MarkdownPage {
  const lines = readFileSync(path, 'utf8').split('\n');
  const fences: Fence[] = [];
  const prose: { at: string; text: string }[] = [];
  const anchors = new Set<string>();
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    const { indent = '', ticks, language = '' } = FENCE.exec(line)?.groups ?? {};
    if (ticks === undefined) {
      for (const [, id] of line.matchAll(/<a id="([^"]+)">/g)) anchors.add(id!);
      const heading = /^#{1,6} (.+)$/.exec(line)?.[1];
      if (heading !== undefined) anchors.add(unusedAnchor(heading, anchors));
      prose.push({
        at: `${path}:${index + 1}`,
        text: line.replaceAll(/`+[^`]*`+/g, (code) => ' '.repeat(code.length)),
      });
      continue;
    }
    const end = lines.findIndex((other, at) => at > index && other.trim() === ticks);
    const code = lines.slice(index + 1, end).map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one));
    // Prettier sets a comment off by an empty line.
    const before = lines[index - 1]?.trim() === '' ? lines[index - 2] : lines[index - 1];
    const comment = COMMENT.exec(before ?? '')?.groups?.['text'];
    fences.push({ at: `${path}:${index + 1}`, page: path, language, code: `${code.join('\n')}\n`, comment });
    index = end;
  }
  return { path, fences, links: prose.flatMap(linksIn), anchors };
}

function linksIn({ at, text }: { readonly at: string; readonly text: string }): Link[] {
  const inline = [...text.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)];
  const reference = [...text.matchAll(/^\[[^\]]+\]: (\S+)/g)];
  const home = [...text.matchAll(/^\s+link: (\/\S+)/g)];
  return [...inline, ...reference, ...home].map(([, target]) => ({ at, target: target! }));
}

/** The anchor of a heading, as VitePress and GitHub number repeated ones. */
function unusedAnchor(heading: string, taken: ReadonlySet<string>): string {
  const anchor = anchorOf(heading);
  for (let more = 0; ; more++) {
    const numbered = more === 0 ? anchor : `${anchor}-${more}`;
    if (!taken.has(numbered)) return numbered;
  }
}

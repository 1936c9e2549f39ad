const INDENT = /^(?: {4}| {0,3}\t)/;
/** After a list item, indentation belongs to the item and marks no code. */
const LIST_ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/;
const OPENING = /<pre(?:\s[^<>]*)?>\s*<code(?:\s[^<>]*)?>/gi;
const CLOSING = '</code>';
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" };

interface Block {
  readonly code: string;
  /** The number of its first line. */
  readonly line: number;
}

/** The last indented block after a blank line, or HTML's `<pre><code>`; undefined without either. */
export function lastUnfencedCode(text: string): string | undefined {
  const html = lastOfHtml(text);
  const indented = lastIndented(text);
  return indented && (!html || indented.line > html.line) ? indented.code : html?.code;
}

function lastOfHtml(text: string): Block | undefined {
  const lastEnd = text.lastIndexOf(CLOSING);
  const opening = [...text.slice(0, Math.max(lastEnd, 0)).matchAll(OPENING)].at(-1);
  if (!opening) return undefined;
  const start = opening.index + opening[0].length;
  const code = text.slice(start, text.indexOf(CLOSING, start));
  return {
    code: code.replaceAll(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? ''),
    line: text.slice(0, start).split('\n').length - 1,
  };
}

function lastIndented(text: string): Block | undefined {
  let last: { readonly line: number; readonly lines: string[] } | undefined;
  let isOpen = false;
  let isInList = false;
  let isBlankBefore = true;
  for (const [index, line] of text.split('\n').entries()) {
    const isBlank = line.trim() === '';
    const isCode: boolean = !isBlank && !isInList && INDENT.test(line) && (isOpen || isBlankBefore);
    if (isCode && !isOpen) last = { line: index, lines: [] };
    isOpen = isCode || (isBlank && isOpen);
    if (isOpen) last?.lines.push(line.replace(INDENT, ''));
    if (LIST_ITEM.test(line)) isInList = true;
    else if (isBlankBefore && /^\S/.test(line)) isInList = false;
    isBlankBefore = isBlank;
  }
  return last && { code: last.lines.join('\n').trimEnd(), line: last.line };
}

import type { LanguageFn } from 'highlight.js';

/** A piece of code, and what it is in its language; '' for what is nothing in particular. */
export interface CodeToken {
  readonly text: string;
  readonly kind: TokenKind | '';
}

/** What pieces of code are told apart as. */
type TokenKind = 'keyword' | 'string' | 'number' | 'comment' | 'name' | 'type';

/** Grammars of the languages that columns of code may have; one of COBOL is not among those of the library. */
const GRAMMARS: Readonly<Record<string, () => Promise<{ readonly default: LanguageFn }>>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  go: () => import('highlight.js/lib/languages/go'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scala: () => import('highlight.js/lib/languages/scala'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
};

/** The library's names for what we show alike. */
const KINDS: Readonly<Record<string, TokenKind>> = {
  keyword: 'keyword',
  literal: 'keyword',
  meta: 'comment',
  comment: 'comment',
  doctag: 'comment',
  string: 'string',
  regexp: 'string',
  symbol: 'string',
  number: 'number',
  title: 'name',
  function: 'name',
  type: 'type',
  built_in: 'type',
  class: 'type',
};

/** More than this is shown without telling its pieces apart: a grammar takes its time. */
const MAX_CHARACTERS = 100_000;

/** Code in pieces, for colours; as one piece where its language is not known. The dialect of SQL makes no difference. */
export async function highlightCode(code: string, language: string): Promise<readonly CodeToken[]> {
  const [name = ''] = language.split(':');
  const grammar = GRAMMARS[name];
  if (!grammar || code.length > MAX_CHARACTERS) return [{ text: code, kind: '' }];
  const { default: library } = await import('highlight.js/lib/core');
  if (!library.getLanguage(name)) library.registerLanguage(name, (await grammar()).default);
  return tokensOf(library.highlight(code, { language: name, ignoreIllegals: true }).value);
}

const PIECE = /<span class="hljs-(\w+)[^"]*">|<\/span>|[^<]+/g;
const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

/** The library gives nested elements around escaped text; what stands in several is what the innermost says. */
function tokensOf(html: string): CodeToken[] {
  const tokens: CodeToken[] = [];
  const open: (TokenKind | '')[] = [];
  for (const [piece, className] of html.matchAll(PIECE)) {
    if (className !== undefined) open.push(KINDS[className] ?? open.at(-1) ?? '');
    else if (piece === '</span>') open.pop();
    else tokens.push({ text: unescaped(piece), kind: open.at(-1) ?? '' });
  }
  return tokens;
}

function unescaped(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#x27);/g, (_, sign: string) => SIGNS[sign] as string);
}

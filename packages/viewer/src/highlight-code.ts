import type { HLJSApi, LanguageFn } from 'highlight.js';

/** A piece of code with its kind; '' for text without a highlight. */
export interface CodeToken {
  readonly text: string;
  readonly kind: TokenKind | '';
}

/** The kinds that are highlighted. */
type TokenKind = 'keyword' | 'string' | 'number' | 'comment' | 'name' | 'type';

/**
 * The grammars of the languages of code columns; the library has none for COBOL. Those of C++ and TypeScript also read C and
 * JavaScript, which keeps the pages of the viewer small.
 */
const GRAMMARS: Readonly<Record<string, () => Promise<{ readonly default: LanguageFn }>>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/cpp'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  go: () => import('highlight.js/lib/languages/go'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/typescript'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scala: () => import('highlight.js/lib/languages/scala'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
};

/** Our kinds by the library's class names. */
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

/** Longer code is not highlighted: that would take too long. */
const MAX_CHARACTERS = 100_000;

let library: HLJSApi | undefined;

/** Whether `highlightNow` finds what it needs; a language without a grammar needs nothing. */
export function isGrammarLoaded(language: string): boolean {
  const name = grammarName(language);
  return name === undefined || library?.getLanguage(name) !== undefined;
}

/** Loads the grammar of a language, if there is one. */
export async function loadGrammar(language: string): Promise<void> {
  const name = grammarName(language);
  if (name === undefined) return;
  library ??= (await import('highlight.js/lib/core')).default;
  if (library.getLanguage(name)) return;
  const { default: grammar } = (await GRAMMARS[name]?.()) ?? {};
  if (grammar) library.registerLanguage(name, grammar);
}

/** Splits code into highlighted pieces; one piece if the grammar of the language is not loaded or there is none. */
export function highlightNow(code: string, language: string): readonly CodeToken[] {
  const name = grammarName(language);
  if (name === undefined || code.length > MAX_CHARACTERS || !library?.getLanguage(name)) {
    return [{ text: code, kind: '' }];
  }
  return tokensOf(library.highlight(code, { language: name, ignoreIllegals: true }).value);
}

/** Loads the grammar, and splits code into highlighted pieces. */
export async function highlightCode(code: string, language: string): Promise<readonly CodeToken[]> {
  await loadGrammar(language);
  return highlightNow(code, language);
}

/** All SQL dialects share a grammar. */
function grammarName(language: string): string | undefined {
  const [name = ''] = language.split(':');
  return Object.hasOwn(GRAMMARS, name) ? name : undefined;
}

const PIECE = /<span class="hljs-(\w+)[^"]*">|<\/span>|[^<]+/g;
const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

/** The library returns nested elements around escaped text; the innermost decides the kind. */
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
  return text.replaceAll(/&(amp|lt|gt|quot|#x27);/g, (whole, sign: string) => SIGNS[sign] ?? whole);
}

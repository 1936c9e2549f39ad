import nunjucks from 'nunjucks/src/parser.js';
import { Lexer, type Token } from './lexer.ts';

/** How deep expressions and blocks may nest; Python's own recursion limit stops Jinja2 at about 75. */
const MAX_NESTING = 100;

/** How many operators, filters or lookups may follow each other at one level. */
const MAX_CHAIN = 500;

/** nunjucks' parser over Jinja2's tokens: its reading head and its nesting of blocks, with walls against hostile depth. */
export class TokenCursor extends nunjucks.Parser {
  readonly #lexer: Lexer;
  #depth = 0;

  constructor(source: string, medium: 'text' | 'json' = 'text') {
    const lexer = new Lexer(source, medium);
    super(lexer);
    this.#lexer = lexer;
  }

  /** Every mistake found while reading ends here; nunjucks counts lines and columns from 0. */
  override fail(reason: string, line?: number, column?: number): never {
    const next = this.peekToken();
    return this.#lexer.failAt(reason, line ?? next.lineno, column ?? next.colno);
  }

  /** Fails at the next token because it is not what was expected. */
  protected unexpected(expected: string): never {
    return this.fail(`unexpected '${this.peekToken().value}', expected ${expected}`);
  }

  protected at(type: string, value?: string): boolean {
    const token = this.peekToken();
    return token.type === type && (value === undefined || token.value === value);
  }

  protected atOperator(...signs: readonly string[]): boolean {
    const token = this.peekToken();
    return token.type === 'operator' && signs.includes(token.value);
  }

  protected atName(...names: readonly string[]): boolean {
    const token = this.peekToken();
    return token.type === 'symbol' && names.includes(token.value);
  }

  /** Whether the token after the next is this one. */
  protected thenComes(type: string, value: string): boolean {
    this.peekToken();
    const token: Token = this.#lexer.upcoming();
    return token.type === type && token.value === value;
  }

  protected take(type: string, what: string): string {
    return this.at(type) ? this.nextToken().value : this.unexpected(what);
  }

  protected takeName(name: string): void {
    if (!this.skipSymbol(name)) this.unexpected(`'${name}'`);
  }

  /** Reads something that may hold itself. */
  protected nested<Result>(read: () => Result): Result {
    if (this.#depth >= MAX_NESTING) this.fail(`nested more than ${MAX_NESTING} deep`);
    this.#depth += 1;
    const result = read();
    this.#depth -= 1;
    return result;
  }

  /** Reads links for as long as there are any, each around what was read before. */
  protected chain<Result>(first: Result, link: (before: Result) => Result | undefined): Result {
    let whole = first;
    for (let links = 0; ; links++) {
      const longer = link(whole);
      if (longer === undefined) return whole;
      if (links >= MAX_CHAIN) this.fail(`more than ${MAX_CHAIN} operators, filters or lookups in a row`);
      whole = longer;
    }
  }
}

import nunjucks from 'nunjucks/src/parser.js';
import { Lexer, type Medium, type Token } from './lexer.ts';
import { limitFault } from '../fault.ts';

/** The deepest nesting of expressions and blocks; Python's recursion limit stops Jinja2 at about 75. */
const MAX_NESTING = 100;

/** The longest chain of operators, filters or lookups at one level. */
const MAX_CHAIN = 500;

/** Reads Jinja2's tokens through nunjucks' parser, and limits nesting and chains against hostile templates. */
export class TokenCursor extends nunjucks.Parser<Token> {
  readonly #lexer: Lexer;
  #depth = 0;

  constructor(source: string, medium: Medium = 'text') {
    const lexer = new Lexer(source, medium);
    super(lexer);
    this.#lexer = lexer;
  }

  /** Throws `template/syntax` for a token, by default the next one. */
  override fail(reason: string, token = this.peekToken()): never {
    return this.#lexer.failAt(reason, token);
  }

  /** Fails at the next token because the template needs something else there. */
  protected unexpected(expected: string): never {
    return this.fail(`unexpected '${this.peekToken().value}', expected ${expected}`);
  }

  protected at(type: string, value?: string): boolean {
    const token = this.peekToken();
    return token.type === type && (value === undefined || token.value === value);
  }

  protected atName(...names: readonly string[]): boolean {
    const token = this.peekToken();
    return token.type === 'symbol' && names.includes(token.value);
  }

  /** Whether this token follows the next one. */
  protected followedBy(type: string, value: string): boolean {
    this.peekToken();
    const token = this.#lexer.upcoming();
    return token.type === type && token.value === value;
  }

  protected take(type: string, expected: string): string {
    return this.at(type) ? this.nextToken().value : this.unexpected(expected);
  }

  protected takeName(name: string): void {
    if (!this.skipSymbol(name)) this.unexpected(`'${name}'`);
  }

  /** Takes the next token if it is one of these operators. */
  protected takeOperator<Sign extends string>(signs: readonly Sign[]): Sign | undefined {
    const { type, value } = this.peekToken();
    const sign = type === 'operator' ? signs.find((one) => one === value) : undefined;
    if (sign !== undefined) this.nextToken();
    return sign;
  }

  /** Reads a name such as `a.b.c`. */
  protected dottedName(what: string): string {
    return this.chain(this.take('symbol', what), (name) =>
      this.skipValue('operator', '.') ? `${name}.${this.take('symbol', what)}` : undefined,
    );
  }

  /** Reads adjacent string literals, which Python joins. */
  protected joinedStrings(): string {
    let text = '';
    while (this.at('string')) text += this.nextToken().value;
    return text;
  }

  /** Reads items between brackets, with an optional comma after the last one. */
  protected bracketed<Item>(open: string, close: string, readItem: () => Item): Item[] {
    this.take(open, open);
    const items: Item[] = [];
    while (!this.at(close)) {
      items.push(readItem());
      if (!this.skip('comma')) break;
    }
    this.take(close, 'a comma or the closing bracket');
    return items;
  }

  /** Reads items up to a token, with commas between them. */
  protected itemsUntil(end: string, readItem: () => void): void {
    for (let isFirst = true; !this.at(end); isFirst = false) {
      if (!isFirst) this.take('comma', "','");
      readItem();
    }
  }

  /** Reads items up to the end of a tag or group; `hasComma` tells one item from a tuple of one. */
  protected commaSeparated<Item>(readItem: () => Item, endsBefore?: string): { items: Item[]; hasComma: boolean } {
    const items: Item[] = [];
    let hasComma = false;
    do {
      if (['variable-end', 'block-end', 'right-paren'].includes(this.peekToken().type)) break;
      if (endsBefore !== undefined && this.atName(endsBefore)) break;
      items.push(readItem());
    } while (this.skip('comma') && (hasComma = true));
    return { items, hasComma };
  }

  /** Throws `template/limit` with the position of the next token. */
  #exceed(what: string, limit: number): never {
    const { line, column } = this.peekToken();
    return limitFault(`${what} at line ${line}, column ${column}`, limit);
  }

  /** Reads a construct that can contain itself. */
  protected nested<Result>(read: () => Result): Result {
    if (this.#depth >= MAX_NESTING) this.#exceed('nested levels', MAX_NESTING);
    this.#depth += 1;
    const result = read();
    this.#depth -= 1;
    return result;
  }

  /** Extends a result by links until `link` finds none. */
  protected chain<Result>(first: Result, link: (before: Result) => Result | undefined): Result {
    let whole = first;
    for (let links = 0; ; links++) {
      const longer = link(whole);
      if (longer === undefined) return whole;
      if (links >= MAX_CHAIN) this.#exceed('operators, filters or lookups in a row', MAX_CHAIN);
      whole = longer;
    }
  }
}

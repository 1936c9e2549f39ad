import { readFloat, readInteger } from './literal.ts';
import { TEST_NAMES } from './builtin-names.ts';
import { TokenCursor } from './token-cursor.ts';
import type { Arguments, BinaryOperator, Comparison, Expression, FilterUse, Keyword, Operand, Pair } from './tree.ts';

const CONSTANTS: Readonly<Record<string, null | boolean>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};
const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='];
const NO_ARGUMENTS: Arguments = { positional: [], keywords: [] };
const TEST_ARGUMENT_STARTS = ['symbol', 'string', 'int', 'float', 'left-paren', 'left-bracket', 'left-curly'];

/** Reads expressions with Jinja2's precedence, which nunjucks' own productions do not have. */
export class ExpressionParser extends TokenCursor {
  override parseExpression(): Expression {
    return this.nested(() => {
      const first = this.parseOr();
      return this.chain<Expression>(first, (yes) => (this.skipSymbol('if') ? this.#conditional(yes) : undefined));
    });
  }

  #conditional(yes: Expression): Expression {
    const test = this.parseOr();
    return { kind: 'conditional', test, yes, no: this.skipSymbol('else') ? this.parseExpression() : undefined };
  }

  override parseOr(): Expression {
    return this.chain(this.parseAnd(), (left) =>
      this.skipSymbol('or') ? { kind: 'or', left, right: this.parseAnd() } : undefined,
    );
  }

  override parseAnd(): Expression {
    return this.chain(this.parseNot(), (left) =>
      this.skipSymbol('and') ? { kind: 'and', left, right: this.parseNot() } : undefined,
    );
  }

  override parseNot(): Expression {
    if (!this.skipSymbol('not')) return this.parseCompare();
    return this.nested(() => ({ kind: 'not', operand: this.parseNot() }));
  }

  override parseCompare(): Expression {
    const first = this.parseAdd();
    const rest: Operand[] = [];
    for (let operator; (operator = this.#comparison()) !== undefined;) {
      rest.push({ kind: 'operand', operator, operand: this.parseAdd() });
    }
    return rest.length === 0 ? first : { kind: 'compare', first, rest };
  }

  #comparison(): Comparison | undefined {
    if (this.atOperator(...COMPARISONS)) return this.nextToken().value as Comparison;
    if (this.skipSymbol('in')) return 'in';
    if (!this.atName('not') || !this.thenComes('symbol', 'in')) return undefined;
    this.nextToken();
    this.nextToken();
    return 'not in';
  }

  override parseAdd(): Expression {
    return this.#binary(['+', '-'], () => this.parseConcat());
  }

  override parseConcat(): Expression {
    const parts = [this.parseMul()];
    while (this.skip('tilde')) parts.push(this.parseMul());
    return parts.length === 1 ? (parts[0] as Expression) : { kind: 'concat', parts };
  }

  override parseMul(): Expression {
    return this.#binary(['*', '/', '//', '%'], () => this.parsePow());
  }

  override parsePow(): Expression {
    return this.#binary(['**'], () => this.parseUnary());
  }

  #binary(operators: readonly BinaryOperator[], operand: () => Expression): Expression {
    return this.chain(operand(), (left) => {
      if (!this.atOperator(...operators)) return undefined;
      const operator = this.nextToken().value as BinaryOperator;
      return { kind: 'binary', operator, left, right: operand() };
    });
  }

  override parseUnary(noFilters = false): Expression {
    const signed = this.atOperator('-', '+');
    const sign = signed ? (this.nextToken().value as '-' | '+') : undefined;
    const plain =
      sign === undefined
        ? this.parsePrimary()
        : this.nested((): Expression => ({ kind: 'unary', operator: sign, operand: this.parseUnary(true) }));
    const whole = this.parsePostfix(plain);
    return noFilters ? whole : this.parseFilter(whole);
  }

  override parsePrimary(): Expression {
    const { type, value } = this.peekToken();
    switch (type) {
      case 'symbol':
        this.nextToken();
        return Object.hasOwn(CONSTANTS, value)
          ? { kind: 'const', value: CONSTANTS[value] ?? null }
          : { kind: 'name', name: value };
      case 'string':
        return { kind: 'const', value: this.#strings() };
      case 'int':
        return { kind: 'const', value: readInteger(this.nextToken().value) };
      case 'float':
        return { kind: 'const', value: readFloat(this.nextToken().value) };
      case 'left-paren':
        return this.#parenthesised();
      case 'left-bracket':
        return { kind: 'list', items: this.#items('left-bracket', 'right-bracket', () => this.parseExpression()) };
      case 'left-curly':
        return { kind: 'dict', pairs: this.#items('left-curly', 'right-curly', () => this.#pair()) };
      default:
        return this.unexpected('an expression');
    }
  }

  #strings(): string {
    let text = '';
    while (this.at('string')) text += this.nextToken().value;
    return text;
  }

  #parenthesised(): Expression {
    this.nextToken();
    const inner = this.parseTuple({ parenthesised: true });
    this.take('right-paren', "')'");
    return inner;
  }

  /** Reads one expression, or several with commas between them as a tuple. */
  parseTuple(options: { parenthesised?: boolean; inlineIf?: boolean; endsBefore?: string } = {}): Expression {
    const { parenthesised = false, inlineIf = true, endsBefore } = options;
    const items: Expression[] = [];
    let isTuple = false;
    do {
      if (this.at('variable-end') || this.at('block-end') || this.at('right-paren')) break;
      if (endsBefore !== undefined && this.atName(endsBefore)) break;
      items.push(inlineIf ? this.parseExpression() : this.nested(() => this.parseOr()));
    } while (this.skip('comma') && (isTuple = true));
    if (!isTuple && items.length > 0) return items[0] as Expression;
    if (!isTuple && !parenthesised) this.unexpected('an expression');
    return { kind: 'tuple', items };
  }

  #items<Item>(open: string, close: string, item: () => Item): Item[] {
    this.take(open, open);
    const items: Item[] = [];
    while (!this.at(close)) {
      items.push(item());
      if (!this.skip('comma')) break;
    }
    this.take(close, 'a comma or the closing bracket');
    return items;
  }

  #pair(): Pair {
    const key = this.parseExpression();
    this.take('colon', "':'");
    return { kind: 'pair', key, value: this.parseExpression() };
  }

  override parsePostfix(node: Expression): Expression {
    return this.chain(node, (of): Expression | undefined => {
      if (this.skipValue('operator', '.')) return this.#member(of);
      if (this.at('left-bracket')) return this.#subscript(of);
      return this.at('left-paren') ? { kind: 'call', callee: of, given: this.parseArguments() } : undefined;
    });
  }

  #member(of: Expression): Expression {
    if (this.at('int')) {
      return { kind: 'item', of, key: { kind: 'const', value: readInteger(this.nextToken().value) } };
    }
    return { kind: 'attribute', of, name: this.take('symbol', 'a name or a number') };
  }

  #subscript(of: Expression): Expression {
    const keys = this.#items('left-bracket', 'right-bracket', () => this.#subscribed());
    if (keys.length === 1) return { kind: 'item', of, key: keys[0] as Expression };
    return { kind: 'item', of, key: { kind: 'tuple', items: keys } };
  }

  #subscribed(): Expression {
    const start = this.at('colon') ? undefined : this.parseExpression();
    if (!this.skip('colon')) return start as Expression;
    const stop = this.at('colon') ? undefined : this.#bound();
    const step = this.skip('colon') ? this.#bound() : undefined;
    return { kind: 'slice', start, stop, step };
  }

  #bound(): Expression | undefined {
    return this.at('right-bracket') || this.at('comma') ? undefined : this.parseExpression();
  }

  override parseFilter(node: Expression): Expression {
    return this.chain(node, (input): Expression | undefined => {
      if (this.skip('pipe')) return this.parseFilterUse(input);
      if (this.skipSymbol('is')) return this.#test(input);
      return this.at('left-paren') ? { kind: 'call', callee: input, given: this.parseArguments() } : undefined;
    });
  }

  /** Reads a filter's name and arguments; the sign before it has been taken. */
  parseFilterUse(input: Expression | undefined): FilterUse {
    const name = this.#dottedName('the name of a filter');
    return { kind: 'filter', input, name, given: this.at('left-paren') ? this.parseArguments() : NO_ARGUMENTS };
  }

  #dottedName(what: string): string {
    return this.chain(this.take('symbol', what), (name) =>
      this.skipValue('operator', '.') ? `${name}.${this.take('symbol', what)}` : undefined,
    );
  }

  #test(input: Expression): Expression {
    const negated = this.skipSymbol('not');
    const { lineno, colno } = this.peekToken();
    const name = this.#dottedName('the name of a test');
    if (!TEST_NAMES.has(name)) this.fail(`there is no test '${name}'`, lineno, colno);
    const test: Expression = { kind: 'test', input, name, given: this.#testArguments() };
    return negated ? { kind: 'not', operand: test } : test;
  }

  #testArguments(): Arguments {
    if (this.at('left-paren')) return this.parseArguments();
    const starts = TEST_ARGUMENT_STARTS.includes(this.peekToken().type);
    if (!starts || this.atName('else', 'or', 'and')) return NO_ARGUMENTS;
    if (this.atName('is')) this.fail("tests with 'is' cannot follow each other");
    return { positional: [this.parsePostfix(this.parsePrimary())], keywords: [] };
  }

  /** Reads what stands between the parentheses of a call. */
  parseArguments(): Arguments {
    const positional: Expression[] = [];
    const keywords: Keyword[] = [];
    const spreads: { spread?: Expression; keywordSpread?: Expression } = {};
    this.#items('left-paren', 'right-paren', () => {
      if (this.skipValue('operator', '*')) {
        if (spreads.spread !== undefined || spreads.keywordSpread !== undefined) this.unexpected('no second *');
        spreads.spread = this.parseExpression();
      } else if (this.skipValue('operator', '**')) {
        if (spreads.keywordSpread !== undefined) this.unexpected('no second **');
        spreads.keywordSpread = this.parseExpression();
      } else if (this.at('symbol') && this.thenComes('operator', '=')) {
        if (spreads.keywordSpread !== undefined) this.unexpected('no keyword after **');
        keywords.push(this.#keyword());
      } else {
        if (keywords.length > 0 || Object.keys(spreads).length > 0) this.fail('a value follows a keyword argument');
        positional.push(this.parseExpression());
      }
    });
    return { positional, keywords, ...spreads };
  }

  #keyword(): Keyword {
    const name = this.nextToken().value;
    this.nextToken();
    return { kind: 'keyword', name, value: this.parseExpression() };
  }
}

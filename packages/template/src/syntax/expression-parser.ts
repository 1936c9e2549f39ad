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
const COMPARISONS: readonly Comparison[] = ['==', '!=', '<', '<=', '>', '>='];
const SIGNS = ['-', '+'] as const;
const NO_ARGUMENTS: Arguments = { positional: [], keywords: [] };
const TEST_ARGUMENT_STARTS = ['symbol', 'string', 'int', 'float', 'left-paren', 'left-bracket', 'left-curly'];

/** Parses expressions with Jinja2's precedence of operators. */
export class ExpressionParser extends TokenCursor {
  parseExpression(): Expression {
    return this.nested(() => {
      const first = this.parseOr();
      return this.chain<Expression>(first, (yes) => (this.skipSymbol('if') ? this.#conditional(yes) : undefined));
    });
  }

  #conditional(yes: Expression): Expression {
    const test = this.parseOr();
    return { kind: 'conditional', test, yes, no: this.skipSymbol('else') ? this.parseExpression() : undefined };
  }

  parseOr(): Expression {
    return this.chain(this.#and(), (left) =>
      this.skipSymbol('or') ? { kind: 'or', left, right: this.#and() } : undefined,
    );
  }

  #and(): Expression {
    return this.chain(this.#not(), (left) =>
      this.skipSymbol('and') ? { kind: 'and', left, right: this.#not() } : undefined,
    );
  }

  #not(): Expression {
    if (!this.skipSymbol('not')) return this.#compare();
    return this.nested(() => ({ kind: 'not', operand: this.#not() }));
  }

  #compare(): Expression {
    const first = this.#add();
    const rest: Operand[] = [];
    for (let operator; (operator = this.#comparison()) !== undefined;) {
      rest.push({ kind: 'operand', operator, operand: this.#add() });
    }
    return rest.length === 0 ? first : { kind: 'compare', first, rest };
  }

  #comparison(): Comparison | undefined {
    const operator = this.takeOperator(COMPARISONS);
    if (operator !== undefined) return operator;
    if (this.skipSymbol('in')) return 'in';
    if (!this.atName('not') || !this.followedBy('symbol', 'in')) return undefined;
    this.nextToken();
    this.nextToken();
    return 'not in';
  }

  #add(): Expression {
    return this.#binary(['+', '-'], () => this.#concat());
  }

  #concat(): Expression {
    const first = this.#multiply();
    if (!this.at('tilde')) return first;
    const parts = [first];
    while (this.skip('tilde')) parts.push(this.#multiply());
    return { kind: 'concat', parts };
  }

  #multiply(): Expression {
    return this.#binary(['*', '/', '//', '%'], () => this.#binary(['**'], () => this.#unary()));
  }

  #binary(operators: readonly BinaryOperator[], operand: () => Expression): Expression {
    return this.chain(operand(), (left) => {
      const operator = this.takeOperator(operators);
      return operator === undefined ? undefined : { kind: 'binary', operator, left, right: operand() };
    });
  }

  #unary(noFilters = false): Expression {
    const operator = this.takeOperator(SIGNS);
    const operand =
      operator === undefined
        ? this.#primary()
        : this.nested((): Expression => ({ kind: 'unary', operator, operand: this.#unary(true) }));
    const whole = this.#postfix(operand);
    return noFilters ? whole : this.#filters(whole);
  }

  #primary(): Expression {
    const { type, value, line, column } = this.peekToken();
    switch (type) {
      case 'symbol':
        this.nextToken();
        return Object.hasOwn(CONSTANTS, value)
          ? { kind: 'const', value: CONSTANTS[value] ?? null }
          : { kind: 'name', name: value, at: { line, column } };
      case 'string':
        return { kind: 'const', value: this.joinedStrings() };
      case 'int':
        return { kind: 'const', value: readInteger(this.nextToken().value) };
      case 'float':
        return { kind: 'const', value: readFloat(this.nextToken().value) };
      case 'left-paren':
        return this.#parenthesised();
      case 'left-bracket':
        return { kind: 'list', items: this.bracketed('left-bracket', 'right-bracket', () => this.parseExpression()) };
      case 'left-curly':
        return { kind: 'dict', pairs: this.bracketed('left-curly', 'right-curly', () => this.#pair()) };
      default:
        return this.unexpected('an expression');
    }
  }

  #parenthesised(): Expression {
    this.nextToken();
    const inner = this.parseTuple({ parenthesised: true });
    this.take('right-paren', "')'");
    return inner;
  }

  /** Parses one expression, or several separated by commas as a tuple. */
  parseTuple(options: { parenthesised?: boolean; inlineIf?: boolean; endsBefore?: string } = {}): Expression {
    const { parenthesised = false, inlineIf = true, endsBefore } = options;
    const readItem = (): Expression => (inlineIf ? this.parseExpression() : this.nested(() => this.parseOr()));
    const { items, hasComma } = this.commaSeparated(readItem, endsBefore);
    const [first] = items;
    if (!hasComma && first !== undefined) return first;
    if (!hasComma && !parenthesised) this.unexpected('an expression');
    return { kind: 'tuple', items };
  }

  #pair(): Pair {
    const key = this.parseExpression();
    this.take('colon', "':'");
    return { kind: 'pair', key, value: this.parseExpression() };
  }

  #postfix(node: Expression): Expression {
    return this.chain(node, (of): Expression | undefined => {
      if (this.skipValue('operator', '.')) return this.#member(of);
      if (this.at('left-bracket')) return this.#subscript(of);
      return this.at('left-paren') ? { kind: 'call', callee: of, given: this.#arguments() } : undefined;
    });
  }

  #member(of: Expression): Expression {
    if (this.at('int')) {
      return { kind: 'item', of, key: { kind: 'const', value: readInteger(this.nextToken().value) } };
    }
    return { kind: 'attribute', of, name: this.take('symbol', 'a name or a number') };
  }

  #subscript(of: Expression): Expression {
    const items = this.bracketed('left-bracket', 'right-bracket', () => this.#indexOrSlice());
    const [key] = items;
    return { kind: 'item', of, key: key !== undefined && items.length === 1 ? key : { kind: 'tuple', items } };
  }

  #indexOrSlice(): Expression {
    const start = this.at('colon') ? undefined : this.parseExpression();
    if (start !== undefined && !this.at('colon')) return start;
    this.nextToken();
    const stop = this.at('colon') ? undefined : this.#bound();
    const step = this.skip('colon') ? this.#bound() : undefined;
    return { kind: 'slice', start, stop, step };
  }

  #bound(): Expression | undefined {
    return this.at('right-bracket') || this.at('comma') ? undefined : this.parseExpression();
  }

  #filters(node: Expression): Expression {
    return this.chain(node, (input): Expression | undefined => {
      if (this.skip('pipe')) return this.parseFilterUse(input);
      if (this.skipSymbol('is')) return this.#test(input);
      return this.at('left-paren') ? { kind: 'call', callee: input, given: this.#arguments() } : undefined;
    });
  }

  /** Parses a filter after its `|`. */
  parseFilterUse(input: Expression | undefined): FilterUse {
    const { line, column } = this.peekToken();
    const name = this.dottedName('the name of a filter');
    const given = this.at('left-paren') ? this.#arguments() : NO_ARGUMENTS;
    return { kind: 'filter', input, name, given, at: { line, column } };
  }

  #test(input: Expression): Expression {
    const negated = this.skipSymbol('not');
    const token = this.peekToken();
    const name = this.dottedName('the name of a test');
    if (!TEST_NAMES.has(name)) this.fail(`unknown test '${name}'`, token);
    const test: Expression = { kind: 'test', input, name, given: this.#testArguments() };
    return negated ? { kind: 'not', operand: test } : test;
  }

  #testArguments(): Arguments {
    if (this.at('left-paren')) return this.#arguments();
    const starts = TEST_ARGUMENT_STARTS.includes(this.peekToken().type);
    if (!starts || this.atName('else', 'or', 'and')) return NO_ARGUMENTS;
    if (this.atName('is')) this.fail("tests with 'is' cannot follow each other");
    return { positional: [this.#postfix(this.#primary())], keywords: [] };
  }

  /** Parses the arguments of a call, with their parentheses. */
  #arguments(): Arguments {
    const positional: Expression[] = [];
    const keywords: Keyword[] = [];
    const spreads: { spread?: Expression; keywordSpread?: Expression } = {};
    this.bracketed('left-paren', 'right-paren', () => {
      if (this.skipValue('operator', '*')) {
        if (spreads.spread !== undefined || spreads.keywordSpread !== undefined)
          this.fail('a call can have only one * argument');
        spreads.spread = this.parseExpression();
      } else if (this.skipValue('operator', '**')) {
        if (spreads.keywordSpread !== undefined) this.fail('a call can have only one ** argument');
        spreads.keywordSpread = this.parseExpression();
      } else if (this.at('symbol') && this.followedBy('operator', '=')) {
        if (spreads.keywordSpread !== undefined) this.fail('a keyword argument follows **');
        keywords.push(this.#keyword());
      } else {
        if (keywords.length > 0 || Object.keys(spreads).length > 0)
          this.fail('a positional argument follows a keyword argument');
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

import { ExpressionParser } from './expression-parser.ts';
import type { Data, Expression, FilterUse, If, Keyword, Name, Signature, Statement, Target } from './tree.ts';

const UNASSIGNABLE = ['true', 'True', 'false', 'False', 'none', 'None'];

/** Parses whole templates into Jinja2's tree. */
export class StatementParser extends ExpressionParser {
  readonly #blocks = new Set<string>();
  /** The tags that end the body being parsed; undefined at the top level. */
  #endTags: readonly string[] | undefined;
  readonly #tags: Readonly<Record<string, () => Statement>> = {
    if: () => this.#parseIf(),
    for: () => this.#parseFor(),
    set: () => this.#parseSet(),
    with: () => this.#parseWith(),
    filter: () => ({ kind: 'filter-block', filter: this.#filterChain(), body: this.#bodyOf('endfilter') }),
    autoescape: () => this.#parseAutoescape(),
    print: () => this.#parsePrint(),
    macro: () => this.#parseMacro(),
    call: () => this.#parseCall(),
    block: () => this.#parseBlock(),
    extends: () => ({ kind: 'extends', template: this.parseExpression() }),
    include: () => this.#parseInclude(),
    import: () => this.#parseImport(),
    from: () => this.#parseFrom(),
  };

  /** Parses statements up to an end tag or the end; text and values between two statements are one output node. */
  parseTemplate(): Statement[] {
    const statements: Statement[] = [];
    for (let parts: (Data | Expression)[] = []; ;) {
      if (this.at('data')) {
        parts.push({ kind: 'data', text: this.nextToken().value });
      } else if (this.skip('variable-start')) {
        parts.push(this.parseTuple());
        this.take('variable-end', "'}}'");
      } else {
        if (parts.length > 0) statements.push({ kind: 'output', parts });
        parts = [];
        if (!this.skip('block-start')) break;
        const statement = this.nested(() => this.#statement());
        if (statement === null) return statements;
        statements.push(statement);
      }
    }
    const endTag = this.#endTags?.find((tag) => tag.startsWith('end'));
    if (endTag !== undefined) this.fail(`the template ends before {% ${endTag} %}`);
    return statements;
  }

  /** Parses one statement; null at an end tag. */
  #statement(): Statement | null {
    const { value } = this.peekToken();
    if (!this.at('symbol')) this.unexpected('the name of a tag');
    if (this.#endTags?.includes(value) === true) return null;
    const read = Object.hasOwn(this.#tags, value) ? this.#tags[value] : undefined;
    if (read === undefined) return this.fail(`unknown tag '${value}'`);
    this.nextToken();
    const statement = read();
    this.take('block-end', "'%}'");
    return statement;
  }

  /** Parses a body up to the name of one of these tags. */
  #bodyUntil(...endTags: string[]): Statement[] {
    this.skip('colon');
    this.take('block-end', "'%}'");
    const outer = this.#endTags;
    this.#endTags = endTags;
    const body = this.parseTemplate();
    this.#endTags = outer;
    return body;
  }

  #bodyOf(end: string): Statement[] {
    const body = this.#bodyUntil(end);
    this.nextToken();
    return body;
  }

  #parseIf(): If {
    const first = this.#parseBranch();
    const elifs: If[] = [];
    while (this.skipSymbol('elif')) elifs.push(this.#parseBranch());
    return { ...first, elifs, otherwise: this.nextToken().value === 'else' ? this.#bodyOf('endif') : [] };
  }

  #parseBranch(): If {
    const test = this.parseTuple({ inlineIf: false });
    return { kind: 'if', test, body: this.#bodyUntil('elif', 'else', 'endif'), elifs: [], otherwise: [] };
  }

  #parseFor(): Statement {
    const target = this.#parseTarget('in');
    this.takeName('in');
    const iterable = this.parseTuple({ inlineIf: false, endsBefore: 'recursive' });
    const test = this.skipSymbol('if') ? this.parseExpression() : undefined;
    const recursive = this.skipSymbol('recursive');
    const body = this.#bodyUntil('endfor', 'else');
    const otherwise = this.nextToken().value === 'else' ? this.#bodyOf('endfor') : [];
    return { kind: 'for', target, iterable, test, recursive, body, otherwise };
  }

  #parseSet(): Statement {
    const target = this.followedBy('operator', '.') ? this.#namespaceTarget() : this.#parseTarget();
    if (this.skipValue('operator', '=')) return { kind: 'set', target, value: this.parseTuple() };
    const filter = this.skip('pipe') ? this.#filterChain() : undefined;
    return { kind: 'set-block', target, filter, body: this.#bodyOf('endset') };
  }

  #filterChain(): FilterUse {
    return this.chain(this.parseFilterUse(undefined), (input) =>
      this.skip('pipe') ? this.parseFilterUse(input) : undefined,
    );
  }

  #parseWith(): Statement {
    const targets: Target[] = [];
    const values: Expression[] = [];
    this.itemsUntil('block-end', () => {
      targets.push(this.#parseTarget());
      if (!this.skipValue('operator', '=')) this.unexpected("'='");
      values.push(this.parseExpression());
    });
    return { kind: 'with', targets, values, body: this.#bodyOf('endwith') };
  }

  #parseAutoescape(): Statement {
    const on: Keyword = { kind: 'keyword', name: 'autoescape', value: this.parseExpression() };
    return { kind: 'scope', body: [{ kind: 'autoescape', on, body: this.#bodyOf('endautoescape') }] };
  }

  #parsePrint(): Statement {
    const parts: Expression[] = [];
    this.itemsUntil('block-end', () => parts.push(this.parseExpression()));
    return { kind: 'output', parts };
  }

  #parseMacro(): Statement {
    const { name } = this.#nameTarget();
    return { kind: 'macro', name, signature: this.#parseSignature(), body: this.#bodyOf('endmacro') };
  }

  #parseCall(): Statement {
    const signature = this.at('left-paren') ? this.#parseSignature() : { parameters: [], defaults: [] };
    const call = this.parseExpression();
    if (call.kind !== 'call') return this.fail('a call block needs a call');
    return { kind: 'call-block', call, signature, body: this.#bodyOf('endcall') };
  }

  #parseSignature(): Signature {
    const parameters: Name[] = [];
    const defaults: Expression[] = [];
    this.take('left-paren', "'('");
    this.itemsUntil('right-paren', () => {
      const parameter = this.#nameTarget();
      parameters.push(parameter);
      if (this.skipValue('operator', '=')) defaults.push(this.parseExpression());
      else if (parameter.name === 'caller') this.fail("the parameter 'caller' needs a default");
      else if (defaults.length > 0) this.fail('a parameter without a default follows one with a default');
    });
    this.nextToken();
    return { parameters, defaults };
  }

  #parseBlock(): Statement {
    const name = this.take('symbol', 'the name of a block');
    if (this.#blocks.has(name)) this.fail(`the block '${name}' is defined twice`);
    this.#blocks.add(name);
    const scoped = this.skipSymbol('scoped');
    const required = this.skipSymbol('required');
    const body = this.#bodyOf('endblock');
    this.skipSymbol(name);
    return { kind: 'block', name, scoped, required, body };
  }

  #parseInclude(): Statement {
    const template = this.parseExpression();
    this.#skipPair(['ignore'], 'missing');
    this.#skipContext();
    return { kind: 'include', template };
  }

  #parseImport(): Statement {
    const template = this.parseExpression();
    this.takeName('as');
    const { name } = this.#nameTarget();
    this.#skipContext();
    return { kind: 'import', template, names: [name], from: false };
  }

  #parseFrom(): Statement {
    const template = this.parseExpression();
    this.takeName('import');
    const names: string[] = [];
    while (!this.at('block-end') && !this.#skipContext()) {
      if (names.length > 0) this.take('comma', "','");
      if (this.at('block-end') || this.#skipContext()) break;
      const { name } = this.#nameTarget();
      if (name.startsWith('_')) this.fail('names that begin with an underscore cannot be imported');
      names.push(this.skipSymbol('as') ? this.#nameTarget().name : name);
    }
    if (names.length === 0) this.unexpected('a name to import');
    return { kind: 'import', template, names, from: true };
  }

  #skipContext(): boolean {
    return this.#skipPair(['with', 'without'], 'context');
  }

  #skipPair(firstNames: readonly string[], second: string): boolean {
    if (!this.atName(...firstNames) || !this.followedBy('symbol', second)) return false;
    this.nextToken();
    this.nextToken();
    return true;
  }

  #nameTarget(): Name {
    if (this.atName(...UNASSIGNABLE)) this.fail(`cannot assign to '${this.peekToken().value}'`);
    return { kind: 'name', name: this.take('symbol', 'a name') };
  }

  #parseTarget(endsBefore?: string): Target {
    const { items, hasComma } = this.commaSeparated(() => this.#singleTarget(), endsBefore);
    const [first] = items;
    return hasComma ? { kind: 'targets', items } : (first ?? this.unexpected('a name'));
  }

  #singleTarget(): Target {
    if (!this.skip('left-paren')) return this.#nameTarget();
    const inner = this.nested(() => this.#parseTarget());
    this.take('right-paren', "')'");
    return inner;
  }

  #namespaceTarget(): Target {
    const namespace = this.#nameTarget().name;
    this.nextToken();
    return { kind: 'namespace-attribute', namespace, attribute: this.take('symbol', 'a name') };
  }
}
